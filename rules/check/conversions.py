"""Whether the texts that a check judges are those that builds read, or git converts them on the way.

The attributes of a repository can make a checkout or `git archive` produce another text than the blob that
was judged. Such a spec cannot be checked. An edit of the attributes of specs is a change of policy.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import NamedTuple

from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import (
    PROFILE,
    REGISTRY,
    digest_of,
    is_spec,
    may_be_table,
    parent_folders,
    place_of,
    split_imports,
)
from wirebook.specs.sources.attributes import (
    ENCODING,
    FILTER,
    IDENT,
    LEFT_OUT,
    SUBSTITUTED,
    AttributeReader,
    AttributeValues,
    converts,
)
from wirebook.specs.sources.filesets import FileSet

# A build reads these as they are, too.
_TABLES = (REGISTRY, PROFILE)
_MAKES = {
    FILTER: "checks out what a filter makes of this {kind}",
    ENCODING: "checks out this {kind} in another encoding",
    IDENT: "expands $Id$ in this {kind} when it checks it out",
    SUBSTITUTED: "archive expands $Format:$ in this {kind}",
}
_UNKNOWN = ", and it may be a spec then"  # of a file that is none before git makes another text of it
_CLOSED = "a file that git converts"
_MOST_NAMED = 3  # specs to name in a sentence on many


class Conversions(NamedTuple):
    """What git makes of the files of two sides.

    `unread` has a line for each spec that builds read as another text, `closed` the other converted files,
    by path, each with its kind. `changes` has a sentence for each attribute that the change gives to specs
    or takes from them.
    """

    unread: tuple[str, ...] = ()
    closed: Mapping[str, str] = {}
    changes: tuple[str, ...] = ()


def conversions(old: FileSet, new: FileSet, has_specs: Callable[[str], bool]) -> Conversions:
    """What git makes of the files that a change concerns. Raises InputError for what git cannot read.

    `has_specs` is whether specs are expected in a folder of the top, or for "" in the top itself.
    """
    before, after = (None if side.attributes is None else side.attributes() for side in (old, new))
    paths = {path for path in (*old.files, *new.files) if old.files.get(path) != new.files.get(path)}
    # Files of attributes in folders without specs are not listed, but a link may lead there.
    is_edited = bool(old.places or new.places)
    listed = [None if reader is None else reader.listed for reader in (before, after)]
    if listed[0] is not None and listed[1] is not None and listed[0] != listed[1]:
        # A working tree and an index list the files of folders without specs, too.
        folders = {above for path in (*old.files, *new.files) for above in parent_folders(path)}
        is_edited = is_edited or _among(listed[0], folders) != _among(listed[1], folders)
    every = {*old.files, *new.files}
    if is_edited:
        paths |= every
    if not paths:
        return Conversions()
    old, new = (_with_imported(side, paths) for side in (old, new))
    imported = {path for side in (old, new) for path in side.files} - every
    paths |= {path for path in imported if is_edited or old.files.get(path) != new.files.get(path)}
    if before is not None and after is not None and before.git is after.git and not is_edited:
        # One process of git answers for both sides.
        places = {side.places.get(path, path) for side in (old, new) for path in paths}
        shared = after.values(sorted(places))
        if not shared:
            return Conversions()
        sides = _Side(old, before, paths, shared), _Side(new, after, paths, shared)
    else:
        sides = _Side(old, before, paths), _Side(new, after, paths)
    return _ConversionJudge(*sides, has_specs, is_edited=is_edited).judged()


def _with_imported(side: FileSet, paths: Iterable[str]) -> FileSet:
    """A side with the files of structs that some of its specs import: builds read these, in any folder."""
    shared: dict[str, bytes] = {}
    for path, text in side.read(path for path in paths if path in side.files).items():
        appended = split_imports(text)[1] if isinstance(text, bytes) else None
        if appended is not None:
            from wirebook.specs.reading.imports import imported_texts

            with suppress(InputError):  # of a wrong import, which the reader of the spec reports
                shared |= {each.path: each.text.encode() for each in imported_texts(appended, path)}
    others = {path: text for path, text in shared.items() if path not in side.files}
    return side.beside(FileSet.of_texts((path, digest_of(text), text) for path, text in others.items()))


def refuse_converted(side: FileSet, path: str, text: bytes, kind: str) -> None:
    """Raise InputError if git makes another text of a file that decides about specs."""
    reader = None if side.attributes is None else side.attributes()
    if reader is None:
        return
    place = side.places.get(path, path)
    values = reader.values([place]).get(place, {})
    for attribute in _converting(reader, values, text):
        (applied,) = reader.applied(attribute, {place: values[attribute]}).values()
        makes = _MAKES[attribute].format(kind=kind)
        raise InputError(f"git {makes}, so it cannot be used: {visible(str(applied))}", path)


def _converting(reader: AttributeReader, values: AttributeValues, text: bytes) -> Iterator[str]:
    """The attributes by which git makes another text of a file.

    git has checked out the texts of a working tree; it expands $Id$ again in the next commit.
    """
    for attribute, value in values.items():
        is_read = reader.is_checked_out and attribute in (FILTER, ENCODING)
        if not is_read and converts(attribute, value, text):
            yield attribute


class _Side:
    """The concerned files of a side, with their attributes."""

    def __init__(
        self,
        files: FileSet,
        reader: AttributeReader | None,
        paths: Iterable[str],
        values: Mapping[str, AttributeValues] | None = None,
    ) -> None:
        self.files = files
        self.reader = reader
        self.places = {path: files.places.get(path, path) for path in sorted(paths) if path in files.files}
        if values is None:
            values = {} if reader is None else reader.values(self.places.values())
        self.values = {path: values[place] for path, place in self.places.items() if place in values}
        self.texts = files.read(list(self.values))

    def is_spec(self, path: str) -> bool:
        """Whether a file counts as a spec: git may check out a spec for a text that is none."""
        text = self.texts[path]
        place = place_of(path)
        name = path.rpartition("/")[2]
        if name in _TABLES or place > 0 or isinstance(text, InputError):
            return True
        return is_spec(text, place) or may_be_table(text)

    def converted(self, path: str) -> Iterator[str]:
        """The attributes by which git makes another text of a file of this side."""
        text = self.texts.get(path)
        if isinstance(text, bytes) and self.reader is not None:
            yield from _converting(self.reader, self.values.get(path, {}), text)


class _ConversionJudge:
    """Compares what git makes of the concerned files of two sides."""

    def __init__(self, old: _Side, new: _Side, has_specs: Callable[[str], bool], *, is_edited: bool) -> None:
        self.old = old
        self.new = new
        self.has_specs = has_specs
        self.is_edited = is_edited

    def judged(self) -> Conversions:
        """The conversions that concern the change."""
        unread: list[str] = []
        closed: dict[str, str] = {}
        for side, which in ((self.old, "in the old side, "), (self.new, "")):
            by_attribute: dict[tuple[str, bool], list[str]] = {}
            for path in side.values:
                if not self._is_concerned(path):
                    continue
                is_spec = side.is_spec(path)
                for attribute in side.converted(path):
                    if is_spec or (side is self.new and self._may_become_spec(path, attribute)):
                        by_attribute.setdefault((attribute, is_spec), []).append(path)
                    elif side is self.new:
                        closed[path] = _CLOSED
            for (attribute, is_spec), paths in by_attribute.items():
                makes = _MAKES[attribute].format(kind="spec" if is_spec else "file")
                why = "" if is_spec else _UNKNOWN
                words = f"{which}git {makes}{why}, so it cannot be checked"
                unread += self._lines(side, attribute, paths, words)
        left_out = [
            path for path in self.new.values if self._leaves_archives(path) and self.new.is_spec(path)
        ]
        unread += self._lines(self.new, LEFT_OUT, left_out, "git archive leaves this spec out")
        return Conversions(tuple(unread), closed, tuple(self._changes()) if self.is_edited else ())

    def _may_become_spec(self, path: str, attribute: str) -> bool:
        """Whether git may make a spec of a file that is none.

        An encoding can disguise each byte, and a keyword the end of a string. But most files that go through
        a filter are data in large storage: only those among specs count.
        """
        return path.endswith(".json") and (attribute != FILTER or self.has_specs(_top_folder(path)))

    def _lines(self, side: _Side, attribute: str, paths: Sequence[str], words: str) -> Iterator[str]:
        if not paths:
            return
        assert side.reader is not None
        values = {side.places[path]: side.values[path][attribute] for path in paths}
        applied = side.reader.applied(attribute, values)
        yield from (f"{path}: {words}: {visible(str(applied[side.places[path]]))}" for path in paths)

    def _is_concerned(self, path: str) -> bool:
        """Whether the change edits the text or the attributes of a file."""
        texts = self.old.files.files.get(path), self.new.files.files.get(path)
        return texts[0] != texts[1] or self.old.values.get(path) != self.new.values.get(path)

    def _leaves_archives(self, path: str) -> bool:
        """Whether archives of the old side have a spec that those of the new side lack."""
        if LEFT_OUT not in self.new.values.get(path, ()):
            return False
        before = self.old.files.files
        if path in before:
            return LEFT_OUT not in self.old.values.get(path, ())
        after = self.new.files.files
        # It may be one of the specs that are gone, under another name.
        return any(
            other not in after and LEFT_OUT not in self.old.values.get(other, ()) for other in self.old.places
        )

    def _changes(self) -> Iterator[str]:
        """A sentence for each attribute that specs get or lose."""
        edits: dict[tuple[str, str | None, str | None], list[str]] = {}
        for path in self.new.places:
            old, new = self.old.values.get(path, {}), self.new.values.get(path, {})
            for attribute in sorted({*old, *new}):
                if old.get(attribute) != new.get(attribute):
                    edits.setdefault((attribute, old.get(attribute), new.get(attribute)), []).append(path)
        for (attribute, old_value, new_value), paths in edits.items():
            specs = [
                path for path in paths if (self.new if path in self.new.texts else self.old).is_spec(path)
            ]
            if specs:
                more = f" and {len(specs) - _MOST_NAMED} more" if len(specs) > _MOST_NAMED else ""
                named = visible(", ".join(specs[:_MOST_NAMED])) + more
                yield (
                    f"this change sets the git attribute {attribute} of {named} to "
                    f"{visible(new_value or 'nothing')}; before: {visible(old_value or 'nothing')}"
                )


def _top_folder(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""


def _among(listed: Mapping[str, str], folders: Set[str]) -> dict[str, str]:
    """The files of attributes in some folders."""
    return {path: digest for path, digest in listed.items() if path.rpartition("/")[0] in folders}
