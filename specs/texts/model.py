"""Prose about messages, kept apart from their specs: by message, field path and version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wirebook.specs.versions import Versions


class Alias(NamedTuple):
    """Another name of a thing: of a message, of an error code, or of a field
    ("FetchRequest.RackId")."""

    name: str
    thing: str


class FieldText(NamedTuple):
    """The description of a field in some of its versions."""

    versions: Versions
    text: str


def number_words(number: int, bit: int | None) -> str:
    """What sentences call a number, or a bit of one: "3", or "bit 3"."""
    return str(number) if bit is None else f"bit {bit}"


class FieldValue(NamedTuple):
    """A number that a field may have: its name, its meaning, and the versions that define it.

    For a flag, `bit` is its bit, and `value` has only that bit set. `deprecated` are versions in
    which it should not be used any more. `since`, `deprecated_since` and `removed_in` are the
    snapshots that show this first, "" if unknown; `since` is also "" for a value that is as old as
    its field. `releases` are those whose servers know it, in words; "" for all.
    """

    value: int
    name: str
    meaning: str
    versions: Versions
    bit: int | None = None
    deprecated: Versions = Versions.NONE
    former_names: tuple[str, ...] = ()
    since: str = ""
    deprecated_since: str = ""
    removed_in: str = ""
    releases: str = ""

    @property
    def words(self) -> str:
        """What it is, as sentences name it."""
        return number_words(self.value, self.bit)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> FieldValue:
        """The value of a row. Raises KeyError if it lacks a key."""
        value, name, meaning, versions = (
            document[key] for key in ("value", "name", "meaning", "versions")
        )
        optional: dict[str, Any] = {key: document[key] for key in _OPTIONAL if key in document}
        optional["former_names"] = tuple(document.get("former_names", ()))
        optional["deprecated"] = Versions.parse(document.get("deprecated", "none"))
        return cls(value, name, meaning, Versions.parse(versions), **optional)

    def to_json(self) -> dict[str, Any]:
        """The row; what is not known has no key."""
        row = self._asdict() | {"versions": str(self.versions), "deprecated": str(self.deprecated)}
        row["former_names"] = list(self.former_names)
        if not self.deprecated:
            del row["deprecated"]
        return {
            key: each
            for key, each in row.items()
            if key not in _OPTIONAL or each not in ("", [], None)
        }


_OPTIONAL = ("bit", "former_names", "since", "deprecated_since", "removed_in", "releases")


class FieldValues(NamedTuple):
    """The numbers of a field that have a meaning, and the meaning of all others; "" if
    undescribed."""

    listed: tuple[FieldValue, ...]
    others: str = ""

    def at(self, version: int) -> FieldValues:
        """The values that a version defines."""
        return self._replace(listed=tuple(item for item in self.listed if version in item.versions))

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> FieldValues:
        """The values of a document. Raises KeyError if it lacks a key."""
        return cls(tuple(map(FieldValue.from_json, document["listed"])), document["others"])

    def to_json(self) -> dict[str, Any]:
        """The document."""
        return {"listed": [item.to_json() for item in self.listed], "others": self.others}

    def name_of(self, number: int, bits: int = 64) -> str:
        """The name of a number, or the names of the flags that are set in one of this many bits; ""
        for none.

        Set bits without a name come last, by their numbers.
        """
        names = {each.value: each.name for each in self.listed}
        if not any(each.bit is not None for each in self.listed):
            return names.get(number, "")
        set_bits = [bit for bit in range(bits) if number >> bit & 1]
        unknown = [str(bit) for bit in set_bits if 1 << bit not in names]
        words = [names[1 << bit] for bit in set_bits if 1 << bit in names]
        if unknown:
            words.append(f"unknown bit{'s' if unknown[1:] else ''} {', '.join(unknown)}")
        return ", ".join(words)


NO_VALUES = FieldValues(())
# The values of fields by the path of the field, and these by the name of the message.
ValuesByField = Mapping[str, FieldValues]
TableValues = Mapping[str, ValuesByField]
_NOTHING: Mapping[Any, Any] = {}


class MessageTexts(NamedTuple):
    """The descriptions of the fields of a message, by path; at most one for each version.

    `values` has the meanings of a field's numbers, `replaced_by` the field that replaces another.
    """

    fields: Mapping[str, tuple[FieldText, ...]]
    replaced_by: Mapping[str, str] = _NOTHING
    values: Mapping[str, FieldValues] = _NOTHING

    def about(self, path: str, version: int) -> str:
        """The description of a field in a version; "" if there is none."""
        texts = self.fields.get(path, ())
        return next((item.text for item in texts if version in item.versions), "")

    def newest(self, path: str) -> str:
        """The description of the newest versions of a field; "" if there is none."""
        texts = self.fields.get(path, ())
        return max(texts, key=lambda item: item.versions.lowest).text if texts else ""


class UseText(NamedTuple):
    """How an API is used; "" if nothing is described."""

    sender: str = ""
    preconditions: str = ""
    ordering: str = ""
    limits: str = ""
    authorization: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether each part is described."""
        return all(self)


NO_USE = UseText()


class ErrorText(NamedTuple):
    """An error code that a response may contain: in which versions, why, and what a client does.

    `field` is the path of the field with the code; `source` names the origin of the fact, and
    `inferred` is true if it was concluded rather than read there, for a `reason`. `releases` are
    those whose servers return it, in words; "" for all. `observed` is the newest release whose
    server was seen to return it, "" for none. `code` has the addresses of the code that the source
    names.
    """

    name: str
    versions: Versions
    field: str
    cause: str
    action: str
    source: str
    inferred: bool = False
    reason: str = ""
    releases: str = ""
    observed: str = ""
    code: tuple[str, ...] = ()


class CitedText(NamedTuple):
    """A text with a source of its own, and the addresses of the code that it names.

    `reason` is why it is there although it was concluded rather than read in the source; "" if it
    was read. The source `is_of_field` if nobody wrote it for the text: it is the code that sets and
    reads the field.
    """

    text: str
    source: str
    reason: str = ""
    is_of_field: bool = False
    code: tuple[str, ...] = ()


class FieldCode(NamedTuple):
    """The method that sets a field and the one that reads it, as texts cite code; "" for none."""

    set_in: str = ""
    read_in: str = ""

    @property
    def source(self) -> str:
        """The source of a text about the field; "" if there is no code."""
        return code_source([self])


def code_source(fields: Sequence[FieldCode]) -> str:
    """The source of a text about some fields; "" if there is no code."""
    sides = (
        ("set in", [each.set_in for each in fields]),
        ("read in", [each.read_in for each in fields]),
    )
    parts = (
        f"{verb} {' and '.join(filter(None, dict.fromkeys(names)))}"
        for verb, names in sides
        if any(names)
    )
    return "; ".join(parts)


class ApiTexts(NamedTuple):
    """The texts about an API, or about a message outside any API; `path` is the file.

    `requires` has, by version, the prerequisites of sending it: other APIs, features, releases.
    `group` is the heading under which lists of APIs show it; "" for none. `replaced_by` names the
    APIs and messages that replace it if it is deprecated or removed. `source` names the code that
    the texts are about, `code` has the addresses of that; `cited` are the texts that have a source
    of their own.
    """

    name: str
    purpose: str
    path: str
    use: UseText = NO_USE
    pitfalls: tuple[str, ...] = ()
    versions: Mapping[int, str] = _NOTHING
    requires: Mapping[int, str] = _NOTHING
    messages: Mapping[str, MessageTexts] = _NOTHING
    errors: tuple[ErrorText, ...] = ()
    group: str = ""
    replaced_by: tuple[str, ...] = ()
    source: str = ""
    code: tuple[str, ...] = ()
    cited: tuple[CitedText, ...] = ()

    def sources(self) -> Iterator[str]:
        """The sources that its texts name."""
        if self.source:
            yield self.source
        yield from (text.source for text in self.cited)
        yield from (error.source for error in self.errors)


def first_sentence(text: str) -> str:
    """The first sentence of a text of several paragraphs, without its full stop."""
    return text.partition("\n\n")[0].partition(". ")[0].rstrip(".")


def folded(name: str) -> str:
    """A name without case and separators: NotLeader, NOT_LEADER and not.leader are one name."""
    return "".join(character for character in name.lower() if character.isalnum())
