"""The formats of specs: which files each of them claims, and how it reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol as Interface

from wirebook.specs.model import MESSAGE_TYPES, Message
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.reading.discovery import SpecText, candidate, is_spec, place_of, skipped_folder
from wirebook.specs.reading.reader import read_message

KAFKA_JSON, FRANZ_GO = NAMES = ("kafka-json", "franz-go")
DEFAULT = (KAFKA_JSON,)


class Format(Interface):
    """A format of message definitions.

    `types` are the types of the messages that it can define. `is_wire_only` marks a format that describes
    bytes without the other information of specs, so that comparisons with other specs compare bytes.
    `profile` names the protocol of all of its files, None if they do not determine it.
    """

    @property
    def name(self) -> str: ...
    @property
    def types(self) -> tuple[str, ...]: ...
    @property
    def is_wire_only(self) -> bool: ...
    @property
    def profile(self) -> str | None: ...

    def may_claim(self, path: str, *, tests: bool = False) -> bool:
        """Whether a file may be of this format, judging by its path inside a source."""
        ...

    def claims(self, path: str, head: bytes, *, whole: bool) -> bool:
        """Whether a file is of this format; `whole` is false if `head` is only the beginning of its text."""
        ...

    def read(self, texts: Iterable[SpecText], profile: Profile) -> Iterator[Message]:
        """Read the messages of all files of a source, which may refer to each other's definitions.

        Raises InputError with line and column.
        """
        ...


class KafkaJson:
    """Kafka's message specs: one message per file, as JSON with comments."""

    name = KAFKA_JSON
    types = MESSAGE_TYPES
    is_wire_only = False
    profile = None

    def may_claim(self, path: str, *, tests: bool = False) -> bool:
        """Whether it is called *.json and is not in a folder for other things."""
        return candidate(path, tests)

    def claims(self, path: str, head: bytes, *, whole: bool) -> bool:
        """Whether it is a message spec or was meant to be one."""
        return is_spec(head, place_of(path), whole=whole)

    def read(self, texts: Iterable[SpecText], profile: Profile) -> Iterator[Message]:
        """Read one message from each text."""
        for text in texts:
            yield read_message(text.text, text.path, profile=profile)


class FranzGo:
    """The definitions of franz-go: requests with their responses, structs and enums, in files without a
    suffix.
    """

    name = FRANZ_GO
    types = ("request", "response")
    is_wire_only = True
    profile = "kafka"

    def may_claim(self, path: str, *, tests: bool = False) -> bool:
        """Whether its name is a word without a suffix."""
        *folders, name = path.split("/")
        skipped = any(skipped_folder(folder, tests) for folder in folders)
        return not skipped and re.fullmatch(r"\w+", name, re.ASCII) is not None

    def claims(self, path: str, head: bytes, *, whole: bool) -> bool:
        """Whether a line begins a definition or an enum, or the file has a name that franz-go uses."""
        if re.search(r"(?:^|/)definitions/\d\d_\w+$", path, re.ASCII):
            return True
        # Most sources have no definitions of franz-go.
        from wirebook.specs.reading.franz_syntax import names_of

        return any(names_of(head.decode("utf-8", "replace")))

    def read(self, texts: Iterable[SpecText], profile: Profile) -> Iterator[Message]:
        """Read the requests and the responses."""
        from wirebook.specs.reading.franz_go import read_franz_go

        yield from read_franz_go(texts, profile)


_FORMATS: tuple[Format, ...] = (KafkaJson(), FranzGo())


def format_named(name: str) -> Format:
    """The format with this name. Raises InputError if there is none."""
    for spec_format in _FORMATS:
        if spec_format.name == name:
            return spec_format
    from difflib import get_close_matches

    close = get_close_matches(name, NAMES, n=1)
    hint = f'did you mean "{close[0]}"?' if close else f"there are {', '.join(NAMES)}"
    raise InputError(f'there is no format "{name}"; {hint}')


def claimed(formats: Sequence[Format], path: str, head: bytes, *, whole: bool = True) -> Format | None:
    """The first of these formats that claims a file; None if none does."""
    return next((each for each in formats if each.claims(path, head, whole=whole)), None)
