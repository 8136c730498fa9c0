"""default-changed: an absent field is read as a different value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirebook.rules.fields.type_changed import bytes_alike, retyped
from wirebook.rules.pairs.kinds import FieldPair, VersionNumbers
from wirebook.rules.pairs.match import bytes_of
from wirebook.rules.rule import Hit, restored, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import Field, Json
from wirebook.specs.versions import VersionSet, counted
from wirebook.specs.wire.defaults import default_value


@rule(on=FieldPair, category=Category.WIRE, source="KIP-482")
def default_changed(pair: FieldPair) -> Iterator[Hit]:
    """A field keeps its default.

    ## What it does
    Compares the values that an absent field is read as, even if its type changes to one with the same bytes.
    `0`, `"0"` and `"0x0"` are equal, and so are -1 as `int16` and 65535 as `uint16`. A JSON null means that
    no default is given; the string `"null"` means null.

    ## Why it breaks
    A tagged field that equals its default is not sent, so the two sides read an absent one as different
    values. An untagged field is absent in the versions below its range, and peers disagree about its
    value there.

    ## When it is fine
    If no release has the field yet. If every version of the old spec that can hold the field has it, and
    neither it nor a struct around it is tagged, readers never use its default: it only determines what a
    writer that does not set the field sends. The change is then reported as a note.

    ## Do instead
    Keep the default, and set the other value explicitly where you need it.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
        { "name": "Limit", "type": "int32", "versions": "1+", "taggedVersions": "1+", "tag": 0,
    -     "default": "-1" }
    +     "default": "0" }
      ] }
    ```
    """
    if (pair.old.type, pair.old.default) == (pair.new.type, pair.new.default):
        return
    old, new = _value(pair.old), _value(pair.new)
    if isinstance(old, ValueError) or isinstance(new, ValueError):
        return
    if _read_alike(pair.old, old, pair.new, new):
        return
    if retyped(pair) if pair.both else not _one_kind(pair.old, pair.new):
        # Its bytes differ anyway, which type-changed reports.
        return
    tagged, lacking = _left_out(pair), _lacking(pair)
    releases = list(_unlike_releases(pair, new))
    if pair.messages.only is not None:
        # Peers may have set the field in other versions than those that are examined.
        lacking = pair.messages.only & frozenset().union(*map(_lacking, releases))
    elif not tagged:
        # A release may reach the struct by other paths only.
        lacking -= pair.messages.released.keys() - frozenset().union(*map(_lacking, releases))
    at, previous = pair.new.written.at("default"), pair.old.written.at("default")
    back = restored(pair.old.written, "default", pair.old.default)
    what = f"the default of {pair.path} is {_shown(new)} instead of {_shown(old)}"
    absent = f"{what}: peers disagree on what an absent field means"
    if not releases:
        # A change that no release contains, or that releases already contain, affects only users of the
        # commits in between.
        if tagged:
            yield Hit(absent, back, pair.both, at, previous, Severity.WARNING)
    elif tagged:
        yield Hit(absent, back, tagged | lacking, at, previous, absent=lacking)
    elif lacking:
        those = counted(VersionSet.of(lacking))
        text = f"{what}: readers of {those}, which lack it, use a different value than before"
        yield Hit(text, back, lacking, at, previous, absent=lacking)
    elif {pair.old.type, pair.new.type} == {"bytes", "records"}:
        # Writers always send it; type-reinterpreted reports how generated code changes.
        return
    else:
        fix = f"{back}, unless writers are meant to send the new value"
        text = f"{what}: writers that do not set it send a different value"
        yield Hit(text, fix, pair.both & pair.messages.released.keys(), at, previous, Severity.INFO)


def same_default(old: Field, new: Field) -> bool:
    """Whether two fields are read as the same value where they are absent; false if a default is invalid."""
    values = _value(old), _value(new)
    return not any(isinstance(value, ValueError) for value in values) and _read_alike(
        old, values[0], new, values[1]
    )


def _name_is_reused(pair: FieldPair) -> bool:
    """Whether the field was renamed and another field has its old name, with the same bytes: in versions
    without the field, readers look for that one.
    """
    return pair.old.name != pair.new.name and any(
        new is not None and new.name == pair.old.name and _one_kind(pair.old, new)
        for _, new in pair.struct.pairs
    )


def _left_out(pair: FieldPair) -> VersionNumbers:
    """The versions in which the field or an enclosing struct is tagged, so that a default is not sent."""
    tagged = {v for v in pair.both if v in pair.old.tagged_versions or v in pair.new.tagged_versions}
    return pair.both & pair.struct.optional | tagged


def _lacking(pair: FieldPair) -> VersionNumbers:
    """The versions in which readers have the field, but neither side sends it.

    Under a new name, a field counts as the same one only if it has the same place in a version, or the same
    tag, and no other field has the old name.
    """
    found: set[int] = set()
    if _one_field(pair) and not _name_is_reused(pair):
        for way in pair.struct.ways:
            before = {version for version in way.old if version in pair.old.present}
            after = {version for version in way.new if version in pair.new.present}
            # If one path never reaches the field, nobody has ever set it.
            if not before.isdisjoint(after):
                found |= way.read - before - after
    return frozenset(found)


def _one_field(pair: FieldPair) -> bool:
    """Whether both fields share a name, a tag, or a place in a version with equally many untagged fields."""
    if pair.old.name == pair.new.name or (pair.old.tag is not None and pair.old.tag == pair.new.tag):
        return True
    ours = pair.old.written.order, pair.new.written.order
    for version in pair.both:
        lines = [_line(fields, version) for fields in zip(*pair.struct.pairs, strict=True)]
        if len(lines[0]) == len(lines[1]) and ours in zip(*lines, strict=True):
            return True
    return False


def _line(fields: Iterable[Field | None], version: int) -> list[int]:
    """The untagged fields of a struct in a version, by the order of their nodes."""
    return sorted(
        item.written.order
        for item in fields
        if item is not None and version in item.present and version not in item.tagged_versions
    )


def _read_alike(old: Field, before: Json, new: Field, after: Json) -> bool:
    """Whether two fields are read as the same value where they are absent, given their defaults."""
    return _same(before, after) or _same(_in_bytes(old, before), _in_bytes(new, after))


def _same(old: Json, new: Json) -> bool:
    # 1 and true differ, and so do 0.0 and -0.0.
    return old == new and str(old) == str(new)


def _one_kind(old: Field, new: Field) -> bool:
    """Whether both hold structs or values with the same bytes, or arrays of these."""
    return bytes_alike(old, new) or old.is_struct_like(new)


def _unlike_releases(pair: FieldPair, new: Json) -> Iterator[FieldPair]:
    """The field paired with that of each release with another default: peers rely only on released ones."""
    from wirebook.rules.pairs.lineage import released_forms

    forms = [older for older in released_forms(pair.messages, pair.new) if _one_kind(older.old, pair.new)]
    known = {id(older.messages.old) for older in forms}
    # Where a release has the name for another field, the old side shows which one this was.
    before = released_forms(pair.messages, pair.old, of_new=False)
    for older in (*forms, *(older for older in before if id(older.messages.old) not in known)):
        item, value = older.old, _value(older.old)
        if (
            _one_field(older)
            and _one_kind(item, pair.new)
            and (isinstance(value, ValueError) or not _read_alike(item, value, pair.new, new))
        ):
            yield older


def _in_bytes(item: Field, value: Json) -> Json:
    """A number as its unsigned bytes, so that signed and unsigned types compare equal."""
    bits = {"int16": 16, "int32": 32}.get(bytes_of(item.element))
    return value % (1 << bits) if bits and isinstance(value, int) else value


def _value(item: Field) -> Json:
    try:
        return default_value(item)
    except ValueError as error:
        return error


def _shown(value: Json) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return f'"{value}"' if isinstance(value, str) else str(value)
