"""Reads the specs of one side: texts and messages, and the reasons why some of them cannot be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from wirebook.rules.check.scope import Scope
from wirebook.rules.severity import Place
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import REGISTRY, is_spec, is_structs, place_of, split_imports
from wirebook.specs.reading.reader import read_message
from wirebook.specs.sources.filesets import FileSet


class ReadSide:
    """The specs of one side: texts and messages by path, and the reasons why some cannot be used."""

    def __init__(self) -> None:
        self.texts: dict[str, bytes] = {}
        self.messages: dict[str, Message] = {}
        self.unread: list[str] = []
        self.broken: set[str] = set()  # paths that cannot be read
        self.places: dict[str, Place] = {}  # of those in `unread` that have one
        self.imported: dict[str, bytes] = {}  # the texts of files of structs
        self.context: set[str] = set()  # paths that are equal on both sides

    def added_to(self, side: ReadSide) -> ReadSide:
        """The files of both: of a file that both have, this one counts; all of the other one can be used."""
        both = ReadSide()
        both.texts = {**side.texts, **self.texts}
        both.messages = {**side.messages, **self.messages}
        both.unread, both.broken = self.unread, self.broken
        both.places = {**side.places, **self.places}
        both.imported = {**side.imported, **self.imported}
        return both

    def refuse(self, error: InputError) -> None:
        """Record that a file cannot be used, and its place."""
        reason = str(error)
        self.unread.append(reason)
        if error.path is not None:
            self.places[reason] = Place(error.path, *(error.position or (1, 1)))

    @property
    def judged(self) -> list[Message]:
        """The messages to judge, without those that are only context."""
        return [message for path, message in self.messages.items() if path not in self.context]

    @property
    def protocol(self) -> Protocol:
        """All messages of the side."""
        return Protocol.of(self.messages.values())


def read_side(
    scope: Scope,
    side: FileSet,
    paths: Iterable[str],
    older: Mapping[str, bytes] | None = None,
    whole: bool = False,
) -> ReadSide:
    """Read the specs among some files; a file that was a spec on the old side must still be one.

    With `whole`, a spec with an unusable value counts as unreadable: on the new side that is a finding, but
    on the old one there is nothing to compare with.
    """
    names = list(paths)
    specs = ReadSide()
    for path, text in side.read(names).items():
        if isinstance(text, InputError):
            specs.refuse(InputError(text.message, path))
            specs.broken.add(path)
            continue
        is_named = path in scope.names and path not in scope.tables and path.rpartition("/")[2] != REGISTRY
        is_expected = is_named or path in (older or ())
        if not (is_expected or is_spec(text, place_of(path))) or is_structs(text):
            continue
        specs.texts[path], appended = split_imports(text)
        profile = scope.profile_of(path)
        try:
            specs.messages[path] = read_message(text, path, strict=whole, profile=profile)
        except InputError as error:
            specs.refuse(error)
            specs.broken.add(path)
            continue
        if appended is not None:
            structs = specs.messages[path].common_structs
            specs.imported |= {each.path: each.written.lines.text.encode() for each in structs if each.path}
    return specs


def some_spec(side: FileSet) -> bool:
    """Whether there is any message spec among the files of a side."""
    paths = sorted(side.files, key=place_of, reverse=True)
    for start in range(0, len(paths), 50):
        read = side.read(paths[start : start + 50])
        if any(isinstance(text, InputError) or is_spec(text, place_of(path)) for path, text in read.items()):
            return True
    return False


def api_ranges(side: ReadSide) -> dict[tuple[str, int | None], tuple[object, ...]]:
    """What the request and the response of an API must have in common, by type and API key."""
    return {
        (message.type, message.api_key): (
            message.valid_versions,
            message.flexible_versions,
            tuple((entry.version, entry.removed, entry.returned) for entry in message.history),
        )
        for message in side.messages.values()
        if message.type in ("request", "response")
    }


def unstable_messages(side: ReadSide) -> set[tuple[str, int | str]]:
    """The messages whose newest version is marked unstable; when the mark is removed, it counts as new."""
    return {message.identity for message in side.messages.values() if message.latest_version_unstable}


def outlines(side: ReadSide) -> Counter[tuple[object, ...]]:
    """The parts of specs that rules on all files together read (see rules/sets)."""
    return Counter(
        (
            message.type,
            message.name,
            message.api_key,
            path.rpartition("/")[0],
            message.header_versions,
            (message.valid_versions, tuple(each.name for each in message.fields))
            if message.type == "header"
            else None,
        )
        for path, message in side.messages.items()
    )
