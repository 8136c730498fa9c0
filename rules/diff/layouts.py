"""Every change between two layouts of a message, breaking or not, as data and as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirebook.rules.diff.kinds import shown
from wirebook.rules.match import match_layouts
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import Json

# Each kind of change as the rest of a sentence about a version.
SENTENCES = {
    "became-flexible": "becomes flexible: compact lengths, and a tagged section after every struct",
    "became-inflexible": "is no longer flexible",
    "header-version": "uses header version {new} instead of {old}",
    "field-added": "{path} ({new}) is added",
    "field-removed": "{path} ({old}) is removed",
    "field-renamed": "{path} is now called {new}",
    "field-moved": "{path} moves from place {old} to place {new}",
    "type-changed": "{path} changes its type from {old} to {new}",
    "became-nullable": "{path} may be null",
    "became-not-nullable": "{path} may no longer be null",
    "became-tagged": "{path} becomes a tagged field, tag {new}",
    "became-untagged": "{path} is no longer tagged (it was tag {old})",
    "tag-changed": "the tag of {path} changes from {old} to {new}",
    "length-changed": "the length of {path} is now written as in {new}, no longer as in {old}",
    "length-kept": "the length of {path} is still written as in {new}",
    "default-changed": "the default of {path} changes from {old} to {new}",
}
_WITH_LENGTH = ("STRING", "BYTES", "RECORDS", "ARRAY")


@dataclass(frozen=True, slots=True)
class Change:
    """A change: its `kind`, one of SENTENCES, and the two values: types, tags, defaults, positions
    or names.

    `path` is that of the field ("" for the message), in the newer layout if it exists there; for a
    renamed field it is the old path.
    """

    kind: str
    path: str
    old: Json = None
    new: Json = None

    @property
    def sentence(self) -> str:
        """The change as the rest of a sentence about a version; plain text, not escaped."""
        values = {"old": shown(self.old), "new": shown(self.new)}
        return SENTENCES[self.kind].format(path=self.path, **values)


def layout_changes(old: Layout, new: Layout) -> list[Change]:
    """The differences between two layouts, in the order of the newer one; [] if there are none.

    A version that becomes flexible is one change, not one for each length that becomes compact.
    """
    changes: list[Change] = []
    if old.flexible != new.flexible:
        changes.append(Change("became-flexible" if new.flexible else "became-inflexible", ""))
    if old.header_version != new.header_version:
        changes.append(Change("header-version", "", old.header_version, new.header_version))
    for match in match_layouts(old, new):
        before = match.base
        after = match.head
        if before is None and after is not None:
            changes.append(Change("field-added", after.path, None, _kind(after)))
        elif before is not None and after is None:
            changes.append(Change("field-removed", before.path, _kind(before), None))
        elif before is not None and after is not None:
            if match.moved is not None:
                changes.append(Change("field-moved", after.path, *match.moved))
            changes += _pair(before, after, old.flexible == new.flexible)
    return changes


def _pair(before: LayoutField, after: LayoutField, same_lengths: bool) -> Iterator[Change]:
    """The changes of a field; `same_lengths`: both versions are flexible, or neither is."""
    path = after.path
    if before.name != after.name:
        yield Change("field-renamed", before.path, before.name, after.name)
    structs = before.fields is not None and after.fields is not None
    same_type = before.spec_type == after.spec_type or (
        structs and (before.element is None) == (after.element is None)
    )
    was = before.type.replace("NULLABLE_", "")
    now = after.type.replace("NULLABLE_", "")
    if not same_type:
        yield Change("type-changed", path, before.spec_type, after.spec_type)
    elif same_lengths and was != now:
        yield Change("length-changed", path, was, now)
    elif not same_lengths and was == now and now in _WITH_LENGTH:
        yield Change("length-kept", path, was, now)
    if before.nullable != after.nullable:
        yield Change("became-nullable" if after.nullable else "became-not-nullable", path)
    if before.tag != after.tag:
        kind = "became-tagged" if before.tag is None else "tag-changed"
        yield Change("became-untagged" if after.tag is None else kind, path, before.tag, after.tag)
    if same_type and before.default != after.default:
        yield Change("default-changed", path, before.default, after.default)


def _kind(field: LayoutField) -> str:
    """The type of a field, and its tag if it has one."""
    return field.spec_type if field.tag is None else f"{field.spec_type}, tag {field.tag}"
