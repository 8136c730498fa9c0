"""The formats in which specs are written: which files each claims, and how it reads them."""

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
    """A way to write messages down.

    `types` are the types of the messages that it can define. `is_wire_only` marks one that describes bytes
    and leaves out what specs say beside them: a comparison with other specs is then one of bytes. `profile`
    names the protocol that all its files are of, None if they do not say.
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
        """Whether a file is worth reading by its path inside a source."""
        ...

    def claims(self, path: str, head: bytes, *, whole: bool = True) -> bool:
        """Whether a file is of this format; `whole` is off where `head` is only the beginning of its text."""
        ...

    def read(self, texts: Iterable[SpecText], profile: Profile) -> Iterator[Message]:
        """The messages of all files of one source, any number of each; files may name what others define.

        Raises InputError, with line and column.
        """
        ...


class KafkaJson:
    """Kafka's message specs: one message in each file, as JSON with comments."""

    name = KAFKA_JSON
    types = MESSAGE_TYPES
    is_wire_only = False
    profile = None

    def may_claim(self, path: str, *, tests: bool = False) -> bool:
        """Whether it is called *.json and is in no folder that holds other things."""
        return candidate(path, tests)

    def claims(self, path: str, head: bytes, *, whole: bool = True) -> bool:
        """Whether it is a message spec or was meant to be one."""
        return is_spec(head, place_of(path), whole=whole)

    def read(self, texts: Iterable[SpecText], profile: Profile) -> Iterator[Message]:
        """One message for each text."""
        for text in texts:
            yield read_message(text.text, text.path, profile=profile)


class FranzGo:
    """The definitions of franz-go: requests with their responses, structs and enums, in files without
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

    def claims(self, path: str, head: bytes, *, whole: bool = True) -> bool:
        """Whether a line begins a definition or an enum, or its name is that of a file of definitions."""
        from wirebook.specs.reading.franz_syntax import names_of

        if re.search(r"(?:^|/)definitions/\d\d_\w+$", path, re.ASCII):
            return True
        return any(names_of(head.decode("utf-8", "replace")))

    def read(self, texts: Iterable[SpecText], profile: Profile) -> Iterator[Message]:
        """The requests and the responses."""
        from wirebook.specs.reading.franz_go import read_franz_go

        yield from read_franz_go(texts, profile)


_FORMATS: tuple[Format, ...] = (KafkaJson(), FranzGo())


def format_named(name: str) -> Format:
    """The format of that name. Raises InputError if there is none."""
    for item in _FORMATS:
        if item.name == name:
            return item
    from difflib import get_close_matches

    near = get_close_matches(name, NAMES, n=1)
    known = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(NAMES)}"
    raise InputError(f'there is no format "{name}"; {known}')


def claimed(formats: Sequence[Format], path: str, head: bytes, *, whole: bool = True) -> Format | None:
    """The first of some formats that claims a file; None if none does."""
    return next((item for item in formats if item.claims(path, head, whole=whole)), None)
