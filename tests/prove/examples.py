"""Small patches whose verdict is known, among them those that the check once let pass."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.prove.cases import Case
from tests.prove.shapes import Spec

TAGGED: Spec = {"taggedVersions": "0+", "tag": 0}


class Example(NamedTuple):
    """A patch, and whether it breaks peers."""

    name: str
    case: Case
    breaks: bool


def field(name: str, kind: str, versions: str = "0+", *inside: Spec, **more: Any) -> Spec:
    """A field of a spec; with fields inside, of a struct."""
    made = {"name": name, "type": kind, "versions": versions, **more}
    return {**made, "fields": list(inside)} if inside else made


def message(*fields: Spec, valid: str = "0-2", flexible: str = "0+", **more: Any) -> Spec:
    """A spec without a header."""
    head = {"type": "data", "name": "Thing", "validVersions": valid, "flexibleVersions": flexible}
    return {**head, "fields": list(fields), **more}


def _example(name: str, *specs: Spec, breaks: bool) -> Example:
    releases = specs[:-1] if len(specs) > 2 else ()
    return Example(name, Case(0, releases, specs[-2], specs[-1]), breaks)


def _unreleased(name: str, release: Spec, old: Spec, new: Spec, *, breaks: bool) -> Example:
    """A patch whose old side is not released."""
    return Example(name, Case(0, (release,), old, new), breaks)


def _leader(*inside: Spec) -> Spec:
    return message(field("Leader", "Leader", "0+", *inside, **TAGGED))


def _rows(name: str, *inside: Spec) -> Spec:
    return message(field(name, "[]Row", "0+", field("A", "int32"), *inside))


NUMBER = field("A", "int32")


def _numbered(number: int, name: str, kind: str) -> Spec:
    """A field that is the one of its number, whatever its name."""
    return {**field(name, kind), "#": number}


def _tag_named(name: str) -> Spec:
    return {"commonStructs": [{"name": "S", "versions": "0+", "fields": [field(name, "int16", **TAGGED)]}]}


def _tagged_since(version: int, name: str, kind: str = "int32", *inside: Spec) -> Spec:
    return field(name, kind, f"{version}+", *inside, taggedVersions=f"{version}+", tag=1)


def _with_struct_in_s() -> Spec:
    inside = [_tagged_since(2, "C", "C", field("D", "int16", "2+"))]
    shared = {"name": "S", "versions": "0+", "fields": inside}
    return {"commonStructs": [shared], "valid": "1-4", "flexible": "2+", "latestVersionUnstable": True}


SHARED: Spec = {"commonStructs": [{"name": "S", "versions": "0+", "fields": [field("F", "uint16", "0-3")]}]}
SHARED_7: Spec = {
    "commonStructs": [{"name": "S", "versions": "0+", "fields": [field("F", "uint16", "0-3", default="7")]}]
}


def _below(default: str) -> Spec:
    shared = {"name": "S", "versions": "0+", "fields": [field("T", "T", "0+", _number(default))]}
    return {"commonStructs": [shared]}


def _number(default: str) -> Spec:
    return field("F", "int16", default=default)


def _tagged(name: str, kind: str, tag: int) -> Spec:
    return field(name, kind, "0+", taggedVersions="0+", tag=tag)


def _later(name: str) -> Spec:
    return field(name, "int64", "1+", taggedVersions="1+", tag=0, default="7")


SHARED_ARRAY: Spec = {"commonStructs": [{"name": "S", "versions": "0+", "fields": [field("A", "[]int8")]}]}


SHARED_ARRAY_0: Spec = {"commonStructs": [{"name": "S", "versions": "0+", "fields": [field("A", "[]int16")]}]}


def _shared_array() -> Spec:
    return _tagged("Two", "[]S", 0)


def _from_1(default: str) -> Spec:
    shared = {"name": "S", "versions": "0+", "fields": [field("F", "uint16", "1+", default=default)]}
    return {"commonStructs": [shared]}


def _null_struct(*inside: Spec) -> Spec:
    return field("S", "S", "0+", *inside, **TAGGED, nullableVersions="0+", default="null")


def _two() -> Spec:
    shared = {"name": "Two", "versions": "0+", "fields": [field("G", "int64")]}
    return {"commonStructs": [shared], "flexible": "none"}


def _nullable_f(kind: str) -> Spec:
    return field("F", kind, "0+", field("I", "[]float64"), nullableVersions="0+")


def _tag_in_s(tag: int) -> Spec:
    return {"commonStructs": [{"name": "S", "versions": "0+", "fields": [_tagged("X", "int64", tag)]}]}


SHARED_2: Spec = {"commonStructs": [{"name": "S", "versions": "0+", "fields": [field("F", "uuid", "2+")]}]}
SHARED_TAG: Spec = {
    "commonStructs": [
        {"name": "S", "versions": "0+", "fields": [field("A", "[]int8"), _tagged("F", "uint16", 0)]}
    ]
}
SHARED_TAG_B: Spec = {
    "commonStructs": [
        {"name": "S", "versions": "0+", "fields": [field("A", "[]int8"), _tagged("G", "uint16", 0)]}
    ]
}
SHARED_LATE_TAG: Spec = {
    "commonStructs": [
        {
            "name": "S",
            "versions": "0+",
            "fields": [
                field("A", "[]int8"),
                field("F", "uint16", "0+", taggedVersions="1+", tag=0),
            ],
        }
    ]
}
SHARED_ONLY_TAG: Spec = {
    "commonStructs": [
        {
            "name": "S",
            "versions": "0+",
            "fields": [field("C", "[]int8", "2+", taggedVersions="2+", tag=0)],
        }
    ]
}
UNSTABLE: Spec = {"latestVersionUnstable": True}


EXAMPLES = (
    _example(
        "the fields of a tagged struct shift",
        _leader(field("Id", "int32"), field("Epoch", "int32")),
        _leader(field("Rack", "int32"), field("Id", "int32")),
        breaks=True,
    ),
    _example(
        "a retype of one width hides the default of a tagged field",
        message(field("Leader", "int32", **TAGGED, default="-2")),
        message(field("Leader", "uint32", **TAGGED)),
        breaks=True,
    ),
    _example(
        "a retype hides that the default of a tagged array is null",
        message(field("Nodes", "[]int32", **TAGGED, nullableVersions="0+", default="null")),
        message(field("Nodes", "[]uint32", **TAGGED, nullableVersions="0+")),
        breaks=True,
    ),
    _example(
        "a tag of a release is reused after its parent was renamed",
        _rows("Rows", field("X", "string", **TAGGED)),
        _rows("Items"),
        _rows("Items", field("Y", "int64", **TAGGED)),
        breaks=True,
    ),
    _unreleased(
        "a struct that a release has elsewhere leaves its tags free",
        message(
            field("Rows", "[]Row", "0+", field("S", "S", "0+", NUMBER, _tagged("X", "uint16", 0)), **TAGGED)
        ),
        message(field("S", "S", "0+", NUMBER)),
        message(field("S", "S", "0+", NUMBER, _tagged("Y", "string", 0))),
        breaks=False,
    ),
    _unreleased(
        "a field that has the name of a release's tag leaves a version of it",
        message(NUMBER, field("B", "int32", "0+", taggedVersions="0+", tag=0)),
        message(NUMBER),
        message(field("B", "int32", "0+", taggedVersions="2+", tag=0)),
        breaks=True,
    ),
    _unreleased(
        "a tag of a release is reused in the second of two structs that it is split into",
        message(field("Rows", "[]Row", "0+", NUMBER, _tagged("X", "string", 0))),
        message(field("Items", "[]Item", "1+", NUMBER), field("Rows", "[]Row", "0", NUMBER)),
        message(
            field("Items", "[]Item", "1+", NUMBER, _tagged("Y", "int64", 0)),
            field("Rows", "[]Row", "0", NUMBER),
        ),
        breaks=True,
    ),
    _example(
        "a field gets the name of a tagged one, whose tag goes to another one, while a version ends",
        message(field("A", "float64"), field("B", "bytes", "0+", taggedVersions="1+", tag=0)),
        message(_tagged("C", "bool", 0), field("B", "float64"), valid="1-2"),
        breaks=True,
    ),
    _example(
        "one of two fields of a name has the default, where a version lacks both",
        message(field("A", "int64", "1+")),
        message(field("A", "int64", "2+"), field("A", "int64", "1", default="-2")),
        breaks=False,
    ),
    _example(
        "one of two fields of a name gets another default where a version lacks both",
        message(field("A", "int64", "2+", default="3"), field("A", "int64", "1", default="3")),
        message(field("A", "int64", "2+", default="3"), field("A", "int64", "1")),
        breaks=False,
    ),
    _example(
        "the only version ends that could show that a tag has another name only",
        message(field("A", "[]uuid", "0+", taggedVersions="0+", tag=0), valid="0"),
        message(field("B", "[]uuid", "0+", taggedVersions="0+", tag=0), valid="1"),
        breaks=True,
    ),
    _example(
        "a field is split by versions, and the new one has another default",
        message(field("A", "int64", "1+")),
        message(field("A", "int64", "2+"), field("B", "int64", "1", default="-2")),
        breaks=False,
    ),
    _example(
        "a shared struct takes the place of one that is empty in a version, below a new name",
        message(
            field("One", "S"),
            field("Two", "T", "0+", field("B", "[]U", "0+", field("C", "[]uint16", "1"))),
            **SHARED_ARRAY_0,
        ),
        message(field("One", "S"), field("A", "T", "0+", field("B", "[]S")), **SHARED_ARRAY_0),
        breaks=True,
    ),
    _example(
        "a field that is there already takes the tag of a release",
        message(NUMBER, field("X", "string", **TAGGED)),
        message(NUMBER),
        message(field("A", "int32", "0+", taggedVersions="3+", tag=0), valid="0-3"),
        breaks=True,
    ),
    _example(
        "records come to be absent where bytes were",
        message(field("S", "S", "0+", field("A", "bytes"), **TAGGED)),
        message(field("S", "S", "0+", field("A", "records"), **TAGGED)),
        breaks=True,
    ),
    _example(
        "records come to be null where a version lacks what were bytes",
        message(field("A", "bytes", "1+")),
        message(field("A", "records", "1+")),
        breaks=True,
    ),
    _example(
        "records where bytes were, in every version",
        message(field("A", "bytes")),
        message(field("A", "records")),
        breaks=False,
    ),
    _example(
        "the default in a struct that one of its paths lacks",
        message(field("One", "S", "3"), field("Two", "S"), valid="0-3", **SHARED),
        message(field("One", "S", "3"), field("Two", "S"), valid="0-3", **SHARED_7),
        breaks=True,
    ),
    _example(
        "a new tagged field", message(NUMBER), message(NUMBER, field("B", "int8", **TAGGED)), breaks=False
    ),
    _example("a rename", message(NUMBER), message(field("B", "int32")), breaks=False),
    _example(
        "two fields trade their names",
        message(NUMBER, field("B", "int32")),
        message(field("B", "int32"), NUMBER),
        breaks=True,
    ),
    _example("another sign", message(NUMBER), message(field("A", "uint32")), breaks=True),
    _example(
        "a new version", message(NUMBER), message(NUMBER, field("B", "int8", "3+"), valid="0-3"), breaks=False
    ),
    _example(
        "a field in a released version", message(NUMBER), message(NUMBER, field("B", "int8")), breaks=True
    ),
    _example(
        "a struct around a field, where nothing is flexible",
        message(NUMBER, flexible="none"),
        message(field("G", "G", "0+", NUMBER), flexible="none"),
        breaks=False,
    ),
    _example("a struct around a field", message(NUMBER), message(field("G", "G", "0+", NUMBER)), breaks=True),
    _example(
        "another default that nobody reads",
        message(NUMBER),
        message({**NUMBER, "default": "7"}),
        breaks=False,
    ),
    _example(
        "another default where a version lacks the field",
        message(field("A", "int32", "1+")),
        message(field("A", "int32", "1+", default="7")),
        breaks=True,
    ),
    _example(
        "another default and a version that ends",
        message(field("A", "int8")),
        message(field("A", "int8", default="7"), valid="0-1"),
        breaks=False,
    ),
    _example(
        "another default in a struct that is null where it is absent",
        message(field("S", "S", "0", field("A", "int8"), nullableVersions="0", default="null")),
        message(field("S", "S", "0", field("A", "int8", default="7"), nullableVersions="0", default="null")),
        breaks=False,
    ),
    _example(
        "two fields of one struct trade places, where nothing is flexible",
        message(field("One", "S"), field("Two", "S"), flexible="none", **SHARED),
        message(field("Two", "S"), field("Three", "S"), flexible="none", **SHARED),
        breaks=True,
    ),
    _example(
        "two structs of one type trade places, and one gets a name of a field inside",
        message(field("One", "S"), field("Two", "S"), flexible="none", **SHARED),
        message(field("Two", "S"), field("F", "S"), flexible="none", **SHARED),
        breaks=True,
    ),
    _example(
        "a struct is put around fields and one beside it gets another sign, where nothing is flexible",
        message(field("One", "[]S", "1+", NUMBER, field("B", "[]int32")), flexible="none"),
        message(
            field("Two", "[]T", "1+", field("G", "G", "0+", NUMBER), field("B", "[]uint32")), flexible="none"
        ),
        breaks=True,
    ),
    _example(
        "an array comes out of a struct with another sign, where nothing is flexible",
        message(field("One", "S", "0+", field("A", "[]int32", nullableVersions="0+")), flexible="none"),
        message(field("A", "[]uint32"), flexible="none"),
        breaks=True,
    ),
    _example(
        "the default in a struct below one that some versions lack",
        message(field("One", "S"), field("Two", "S", "1+"), **_below("7")),
        message(field("One", "S"), field("Two", "S", "1+"), **_below("0")),
        breaks=True,
    ),
    _unreleased(
        "another default of a field that no release has, where versions lack it",
        message(NUMBER),
        message(NUMBER, field("B", "int16", "2+", taggedVersions="2+", tag=0, default="7")),
        message(NUMBER, field("B", "int16", "2+", taggedVersions="2+", tag=0)),
        breaks=False,
    ),
    _unreleased(
        "a default is put back where versions lack the field",
        message(field("A", "int16", "1+", default="7")),
        message(field("A", "int16", "1+")),
        message(field("A", "int16", "1+", default="7")),
        breaks=False,
    ),
    _unreleased(
        "two tags of a release trade their names where an array gets its sign back",
        message(field("A", "[]uint32"), _tagged("B", "int8", 0), _tagged("C", "uint16", 1)),
        message(field("A", "[]int32"), _tagged("B", "int8", 0), _tagged("C", "uint16", 1)),
        message(field("A", "[]uint32"), _tagged("C", "int8", 0), _tagged("B", "uint16", 1)),
        breaks=True,
    ),
    _unreleased(
        "two tags of a release trade their names where a third comes back",
        message(_tagged("A", "int8", 0), _tagged("B", "int16", 1), _tagged("C", "int16", 2)),
        message(_tagged("B", "int16", 1), _tagged("C", "int16", 2)),
        message(_tagged("A", "int8", 0), _tagged("C", "int16", 1), _tagged("B", "int16", 2)),
        breaks=True,
    ),
    _unreleased(
        "two fields of a release trade their names where a tag comes back",
        message(field("B", "int16"), field("C", "int16"), _tagged("A", "int8", 0)),
        message(field("B", "int16"), field("C", "int16")),
        message(field("C", "int16"), field("B", "int16"), _tagged("A", "int8", 0)),
        breaks=True,
    ),
    _unreleased(
        "two fields of a release trade their names where a tag goes that no release has",
        message(field("B", "int16"), field("C", "int16")),
        message(field("B", "int16"), field("C", "int16"), _tagged("A", "int8", 0)),
        message(field("C", "int16"), field("B", "int16")),
        breaks=True,
    ),
    _unreleased(
        "a tag goes that no release has, after two fields traded their names",
        message(field("B", "int16"), field("C", "int16")),
        message(field("C", "int16"), field("B", "int16"), _tagged("A", "int8", 0)),
        message(field("C", "int16"), field("B", "int16")),
        breaks=False,
    ),
    _unreleased(
        "a field of a release takes a tag where another one takes its place",
        message(field("A", "[]float64")),
        message(field("A", "[]float64"), _tagged("B", "[]uint32", 0)),
        message(field("C", "[]float64"), _tagged("A", "[]uint32", 0)),
        breaks=True,
    ),
    _example(
        "a tag is reused in a version of the second release that had it",
        message(NUMBER, field("X", "[]bool", "1+", taggedVersions="1+", tag=0)),
        message(NUMBER, field("X", "[]bool", "1+", taggedVersions="1+", tag=0), valid="2-3"),
        message(NUMBER, valid="2-3"),
        message(NUMBER, field("Y", "float64", "3+", taggedVersions="3+", tag=0), valid="2-3"),
        breaks=True,
    ),
    _example(
        "a tag of a release, in versions below those that had it",
        message(NUMBER, field("X", "int32", "2+", taggedVersions="2+", tag=0)),
        message(NUMBER),
        message(NUMBER, field("Y", "int8", **TAGGED)),
        breaks=True,
    ),
    _unreleased(
        "a tag comes back under another name, in fewer versions",
        message(NUMBER, _tagged("X", "int64", 0)),
        message(NUMBER),
        message(NUMBER, field("Y", "int64", "2+", taggedVersions="2+", tag=0)),
        breaks=True,
    ),
    _unreleased(
        "a tag comes back under another name",
        message(NUMBER, _tagged("X", "int64", 0)),
        message(NUMBER),
        message(NUMBER, _tagged("Y", "int64", 0)),
        breaks=True,
    ),
    _example(
        "a new field takes the tag of one that moves, in versions below it",
        message(NUMBER, field("X", "uint16", "2+", taggedVersions="2+", tag=0)),
        message(NUMBER, _tagged("Y", "uuid", 0), field("X", "uint16", "2+", taggedVersions="2+", tag=1)),
        breaks=True,
    ),
    _example(
        "a tag comes back as it was",
        message(NUMBER, field("X", "string", **TAGGED)),
        message(NUMBER),
        message(NUMBER, field("X", "string", **TAGGED)),
        breaks=False,
    ),
    _example(
        "a renamed field keeps its default behind one of another version",
        message(field("A", "int8", "4", default="7"), field("B", "uuid", "1"), valid="1-4"),
        message(field("B", "uuid", "1"), field("C", "int8", "4"), valid="1-4"),
        breaks=False,
    ),
    _example(
        "a renamed field keeps its default before one of another version",
        message(field("A", "int8", "3"), field("B", "int8", "5", default="7"), valid="0-5"),
        message(field("C", "int8", "5"), field("A", "int8", "3"), valid="0-5"),
        breaks=False,
    ),
    _example(
        "a field is renamed behind one of another version",
        message(field("A", "int8", "4"), field("B", "uuid", "1"), valid="1-4"),
        message(field("B", "uuid", "1"), field("C", "int8", "4"), valid="1-4"),
        breaks=False,
    ),
    _example(
        "a tagged field is renamed to what only versions before had",
        message(field("A", "uint32", "0"), _tagged("B", "uint32", 0), valid="1"),
        message(_tagged("A", "uint32", 0), valid="1"),
        breaks=True,
    ),
    _example(
        "the name of a field goes on in another one, in new versions only",
        message(field("A", "int32", "1+")),
        message(field("Old", "int32", "1-2"), field("A", "int64", "3+"), valid="0-3"),
        breaks=False,
    ),
    _unreleased(
        "two fields that no release has trade places in a struct",
        message(NUMBER),
        message(NUMBER, field("S", "S", "0+", field("B", "int8"), field("C", "int8"), **TAGGED)),
        message(NUMBER, field("S", "S", "0+", field("D", "int8"), field("B", "int8"), **TAGGED)),
        breaks=False,
    ),
    _unreleased(
        "another default where versions lack the field, while a tag goes that no release has",
        message(field("S", "[]S", "1+", field("A", "int32", "1"))),
        message(field("S", "[]S", "1+", field("A", "int32", "1"), _tagged("B", "int32", 0))),
        message(field("S", "[]S", "1+", field("A", "uint32", "1", default="7"))),
        breaks=True,
    ),
    _unreleased(
        "a tag reaches down while another one comes back that a release has",
        message(field("X", "string", "2+", taggedVersions="2+", tag=0), _tagged("B", "int8", 1)),
        message(field("X", "string", "2+", taggedVersions="2+", tag=0)),
        message(field("X", "string", "1+", taggedVersions="1+", tag=0), _tagged("B", "int8", 1)),
        breaks=True,
    ),
    _example(
        "the fields of an array trade places that a group is put around, where nothing is flexible",
        message(field("One", "[]S", "0+", NUMBER, field("B", "int32")), flexible="none"),
        message(
            field("G", "G", "0+", field("One", "[]S", "0+", field("B", "int32"), NUMBER)), flexible="none"
        ),
        breaks=True,
    ),
    _example(
        "one of two fields goes that versions lack, and the other is renamed",
        message(field("A", "uint16", "5", default="0x10"), field("B", "uint16", "5"), valid="4-5"),
        message(field("C", "uint16", "5"), valid="4-5"),
        breaks=True,
    ),
    _example(
        "a tag takes the name of a field that a group is put around",
        message(field("A", "int16", "1-4"), _tagged("B", "int64", 0), valid="0-5"),
        message(field("G", "[]G", "1-4", field("A", "int16", "1-4")), _tagged("A", "int64", 0), valid="0-5"),
        breaks=True,
    ),
    _example(
        "an array of numbers becomes one of structs with another sign, where nothing is flexible",
        message(field("A", "[]int16"), flexible="none"),
        message(field("A", "[]S", "0+", field("B", "uint16")), flexible="none"),
        breaks=True,
    ),
    _example(
        "a field that was never valid begins lower, under a tag that is new",
        message(field("A", "int32", "3+")),
        message(field("A", "int32", "2+", taggedVersions="2+", tag=0)),
        breaks=False,
    ),
    _unreleased(
        "a version comes back while another one has the tag of a release already",
        message(field("A", "[]bytes", "3+", taggedVersions="3+", tag=0), valid="0-3"),
        message(field("B", "[]int16", "3+", taggedVersions="3+", tag=0), valid="1-3"),
        message(field("B", "[]int16", "3+", taggedVersions="3+", tag=0), valid="0-3"),
        breaks=False,
    ),
    _unreleased(
        "a tag of a release is reused in a version that is broken already",
        message(field("A", "int16"), field("B", "[]int32", **TAGGED)),
        message(),
        message(_tagged("C", "uint16", 0)),
        breaks=True,
    ),
    _unreleased(
        "a version that is broken already is broken once more",
        message(NUMBER, field("B", "int8")),
        message(NUMBER),
        message(field("A", "int64")),
        breaks=True,
    ),
    _unreleased(
        "a version that is broken already is mended",
        message(NUMBER, field("B", "int8")),
        message(NUMBER),
        message(NUMBER, field("B", "int8")),
        breaks=False,
    ),
    _unreleased(
        "a version that is broken already gets a tag that is new",
        message(NUMBER, field("B", "int8")),
        message(NUMBER),
        message(NUMBER, _tagged("C", "int8", 0)),
        breaks=False,
    ),
    _unreleased(
        "a tagged field that no release has changes in a version that has lost another one",
        message(NUMBER, field("B", "float64", **TAGGED)),
        message(NUMBER, _tagged("C", "[]int64", 1)),
        message(NUMBER, {**_tagged("C", "[]int64", 1), "nullableVersions": "0+"}),
        breaks=False,
    ),
    _unreleased(
        "a tag that was reused before is that of a field with another name",
        message(_tagged("A", "uint16", 0), valid="0"),
        message(field("B", "[]uint16", "1+", taggedVersions="1+", tag=0), valid="1"),
        message(
            field("B", "int8", "1+", taggedVersions="1+", tag=1),
            field("C", "[]uint16", "1+", taggedVersions="1+", tag=0),
            valid="1",
        ),
        breaks=True,
    ),
    _unreleased(
        "a field comes back with another default, where versions lack it",
        message(field("A", "int8", "1+", default="-2")),
        message(),
        message(field("A", "int8", "1+")),
        breaks=True,
    ),
    _unreleased(
        "a field comes back under a tag with another default, where versions lack it",
        message(field("A", "int8", "1+", default="-2")),
        message(),
        message(field("A", "int8", "1+", taggedVersions="1+", tag=0)),
        breaks=True,
    ),
    _unreleased(
        "a field comes back with its default, where versions lack it",
        message(field("A", "int8", "1+", default="-2")),
        message(),
        message(field("A", "int8", "1+", default="-2")),
        breaks=False,
    ),
    _unreleased(
        "a field comes back with another default in a version that the old side withdrew",
        message(field("A", "int64", "0"), valid="0-1", flexible="none"),
        message(field("A", "bytes", "0"), valid="1", flexible="none"),
        message(field("A", "int64", "0", default="7"), valid="0-1", flexible="none"),
        breaks=True,
    ),
    _unreleased(
        "a field gets back its type and another default, where versions lack it",
        message(field("A", "int32", "1+")),
        message(field("A", "int64", "1+")),
        message(field("A", "int32", "1+", default="7")),
        breaks=True,
    ),
    _example(
        "a struct is replaced by one that has a field in more versions, and is used elsewhere as it was",
        message(field("One", "T", "0+", field("B", "[]int8", "0")), _shared_array(), **SHARED_ARRAY),
        message(field("One", "S"), _shared_array(), **SHARED_ARRAY),
        breaks=True,
    ),
    _unreleased(
        "a field of a release, which versions have under a tag, comes back in those only",
        message(field("A", "[]int64", "0+", taggedVersions="1+", tag=0), flexible="1+"),
        message(flexible="1+"),
        message(field("B", "[]int64", "1+", taggedVersions="1+", tag=0), flexible="1+"),
        breaks=True,
    ),
    _unreleased(
        "another default of a field that has the place of another one of a release",
        message(field("A", "uint32", "0", default="7"), field("B", "int64"), valid="0-1"),
        message(field("C", "uint32", "0", default="7"), valid="0-1"),
        message(field("C", "uint32", "0"), valid="0-1"),
        breaks=False,
    ),
    _unreleased(
        "another default and another name, where a field beside it is lost already",
        message(field("A", "int32", "0-1", default="7"), field("B", "int32")),
        message(field("A", "int32", "0-1", default="7")),
        message(field("C", "uint32", "0-1")),
        breaks=True,
    ),
    _unreleased(
        "another default in a struct that versions lack by a path that no release has",
        message(field("One", "[]S"), **SHARED_7),
        message(field("Two", "S", "2"), field("One", "[]S"), **SHARED_7),
        message(field("Two", "S", "2"), field("One", "[]S"), **SHARED),
        breaks=False,
    ),
    _example(
        "another default where versions lack the field, in a struct that those have by another path",
        message(field("One", "[]S", "1+"), field("Two", "[]S", "0"), **_from_1("7")),
        message(field("One", "[]S", "1+"), field("Two", "[]S", "0"), **_from_1("0")),
        breaks=True,
    ),
    _example(
        "another default where versions lack the field, in a struct that those have by the same path",
        message(field("One", "[]S"), field("Two", "[]S", "0"), **_from_1("7")),
        message(field("One", "[]S"), field("Two", "[]S", "0"), **_from_1("0")),
        breaks=True,
    ),
    _unreleased(
        "a tag that no release has goes to another field, in a struct that lower versions have not",
        message(valid="0-1"),
        message(field("S", "[]S", "2+", _tagged("A", "int32", 0)), valid="1-2"),
        message(field("S", "[]S", "2+", _tagged("B", "[]int32", 0)), valid="1-2"),
        breaks=False,
    ),
    _unreleased(
        "a tag that was reused in a new version goes to another field there",
        message(_tagged("A", "string", 0)),
        message(field("B", "int16", "3+", taggedVersions="3+", tag=0), valid="0-3"),
        message(field("C", "[]uint16", "3+", taggedVersions="3+", tag=0), valid="0-3"),
        breaks=True,
    ),
    _unreleased(
        "a tag comes back under another name and with another sign",
        message(_tagged("A", "int16", 0), valid="1"),
        message(valid="2"),
        message(_tagged("B", "uint16", 0), valid="1"),
        breaks=True,
    ),
    _unreleased(
        "a tag comes back under another name, with another sign and another default",
        message(_tagged("A", "int16", 0)),
        message(),
        message({**_tagged("B", "uint16", 0), "default": "7"}),
        breaks=True,
    ),
    _example(
        "an array takes the name of a struct that is empty, where nothing is flexible",
        message(field("One", "S", "0"), field("Two", "[]uint32"), flexible="none", **SHARED_2),
        message(
            field("Two", "S", "0"),
            field("One", "[]T", "0+", field("A", "uint32")),
            flexible="none",
            **SHARED_2,
        ),
        breaks=False,
    ),
    _example(
        "a field is split by versions and loses its default in a struct that is null where it is absent",
        message(_null_struct(field("A", "int8", default="-2"))),
        message(_null_struct(field("A", "int8", "0"), field("B", "int8", "1+"))),
        breaks=False,
    ),
    _unreleased(
        "a withdrawn version comes back under another API key",
        message(_tagged("A", "int32", 0), valid="2", type="response", apiKey=7),
        message(_tagged("A", "int32", 0), valid="1", type="response", apiKey=7),
        message(field("A", "int32", "1"), valid="2", type="response", apiKey=8),
        breaks=False,
    ),
    _example(
        "the fields of a struct that releases have in an unstable version only trade places",
        message(NUMBER),
        message(
            NUMBER, _tagged("S", "S", 0) | {"fields": [field("B", "int8"), field("C", "int8")]}, **UNSTABLE
        ),
        message(
            NUMBER, _tagged("S", "S", 0) | {"fields": [field("B", "int8"), field("C", "int8")]}, **UNSTABLE
        ),
        message(
            NUMBER, _tagged("S", "S", 0) | {"fields": [field("D", "int8"), field("B", "int8")]}, **UNSTABLE
        ),
        breaks=True,
    ),
    _unreleased(
        "a tag comes back for a struct of the same name with other bytes",
        message(field("Rows", "[]S", "0+", NUMBER, field("B", "uint16"), **TAGGED)),
        message(),
        message(field("Back", "[]S", "0+", field("B", "uint16"), NUMBER, **TAGGED)),
        breaks=True,
    ),
    _unreleased(
        "a tag comes back for the same struct under another name",
        message(field("Rows", "[]S", "0+", NUMBER, field("B", "uint16"), **TAGGED)),
        message(),
        message(field("Back", "[]T", "0+", NUMBER, field("B", "uint16"), **TAGGED)),
        breaks=True,
    ),
    _unreleased(
        "a field that takes the place of one that only a release had",
        message(
            field("A", "[]int16", nullableVersions="0+", default="null"), field("B", "[]uint16"), valid="0"
        ),
        message(field("B", "[]uint16")),
        message(field("B", "[]uint16", "2+"), field("Part", "[]int16", "0-1")),
        breaks=True,
    ),
    _example(
        "a field becomes a new tag, and another one takes its place, with a break in another version",
        message(field("A", "uint32"), field("B", "[]int8"), valid="0-1", flexible="1+"),
        message(
            field("C", "uint32", "0+", taggedVersions="1+", tag=0),
            field("D", "uint32"),
            field("B", "[]int8"),
            valid="0-1",
            flexible="1+",
        ),
        breaks=True,
    ),
    _example(
        "a field becomes a new tag where another one has its place",
        message(field("A", "uint32"), field("B", "[]int8"), valid="0-2", flexible="1+"),
        message(
            field("C", "uint32", "0+", taggedVersions="2+", tag=0),
            field("D", "uint32", "2+"),
            field("B", "[]int8"),
            flexible="1+",
        ),
        breaks=False,
    ),
    _unreleased(
        "a tag that comes back has another default, for a field whose name another one had",
        message(field("A", "[]int16", "2"), _tagged("B", "bool", 0)),
        message(field("A", "[]int16", "2")),
        message(field("C", "[]int16", "2"), _tagged("A", "bool", 0) | {"default": "true"}),
        breaks=True,
    ),
    _unreleased(
        "a tag that reaches into a released version already is renamed, and its name goes to another field",
        message(field("A", "uuid", "2+", taggedVersions="2+", tag=0), field("B", "int8", "2+")),
        message(field("B", "int8", "2"), field("C", "uuid", "1+", taggedVersions="1+", tag=0)),
        message(field("C", "int8", "2"), field("D", "uuid", "1+", taggedVersions="1+", tag=0)),
        breaks=True,
    ),
    _unreleased(
        "a released tag of a struct with a new name goes to another field, where bytes are broken already",
        message(
            NUMBER,
            field("S", "T", "0+", field("C", "[]int8"), field("B", "uuid", "1+", taggedVersions="1+", tag=0)),
        ),
        message(field("R", "T", "0+", field("C", "[]int8"))),
        message(field("R", "T", "0+", field("C", "[]int8", "0+", taggedVersions="3+", tag=0)), valid="0-3"),
        breaks=False,
    ),
    _example(
        "one of two uses of a shared struct loses a tag that the other one keeps",
        message(_tagged("One", "S", 0), _tagged("Two", "[]S", 1), **SHARED_TAG),
        message(
            _tagged("One", "S", 0),
            _tagged("Two", "[]T", 1) | {"fields": [field("A", "[]int8")]},
            **SHARED_TAG,
        ),
        breaks=False,
    ),
    _unreleased(
        "another type of message gets back the fields that releases have",
        message(valid="1-2", type="response", name="ApiResponse", apiKey=7),
        message(_tagged("A", "string", 0), valid="1-2", type="response", name="ApiResponse", apiKey=7),
        message(valid="1-2", type="request", name="ApiResponse", apiKey=7, listeners=["broker"]),
        breaks=True,
    ),
    _unreleased(
        "a tag comes back under its name with another type, in versions that no release has",
        message(_tagged("A", "int16", 0), valid="0"),
        message(valid="1"),
        message(_tagged("A", "uuid", 0), valid="1"),
        breaks=False,
    ),
    _example(
        "a tag goes to an array of the struct that had it, as its only version is withdrawn",
        message(field("A", "S", "0+", NUMBER, taggedVersions="3+", tag=0), valid="2-3"),
        message(field("B", "[]S", "0+", NUMBER, taggedVersions="3+", tag=0), valid="2"),
        breaks=True,
    ),
    _example(
        "a tag is another field's in a struct that no version with the tag has",
        message(field("R", "[]R", "0", field("A", "int8", "0+", taggedVersions="2+", tag=0)), flexible="2+"),
        message(
            field("R", "[]R", "0", field("A", "int8", "0+", taggedVersions="2+", tag=0)),
            _tagged("B", "uuid", 1) | {"versions": "2+", "taggedVersions": "2+"},
            flexible="2+",
        ),
        message(
            field("R", "[]R", "0", field("C", "[]int8", "0+", taggedVersions="2+", tag=0)),
            _tagged("B", "uuid", 1) | {"versions": "2+", "taggedVersions": "2+"},
            flexible="2+",
        ),
        breaks=True,
    ),
    _unreleased(
        "a tag that no release has goes to another field, as the only released version is withdrawn",
        message(valid="1"),
        message(_tagged("A", "uint16", 0), valid="1-2"),
        message(_tagged("B", "int32", 0), valid="2"),
        breaks=False,
    ),
    _unreleased(
        "a version comes back that lacks a field which has got another default",
        message(field("A", "int8", "1+", default="7")),
        message(field("A", "int8", "1+"), valid="1-2"),
        message(field("A", "int8", "1+")),
        breaks=True,
    ),
    _unreleased(
        "a version comes back that lacks a field which gets another default",
        message(field("A", "bytes", "0"), valid="0-1", flexible="none"),
        message(field("A", "bytes", "0"), valid="0", flexible="none"),
        message(field("B", "records", "0"), valid="0-1", flexible="none"),
        breaks=False,
    ),
    _unreleased(
        "a version comes back that lacks a field whose other default another version shows already",
        message(field("A", "int8", "2", default="7")),
        message(field("A", "int8", "2"), valid="1-2"),
        message(field("A", "int8", "2")),
        breaks=True,
    ),
    _unreleased(
        "a version comes back that lacks a field as a release has it",
        message(field("A", "int8", "1+", default="7")),
        message(field("A", "int8", "1+", default="7"), valid="1-2"),
        message(field("A", "int8", "1+", default="7")),
        breaks=False,
    ),
    _example(
        "a version comes back that lacks a field with the default of one of two releases",
        message(field("A", "int8", "1+", default="7")),
        message(field("A", "int8", "1+")),
        message(field("A", "int8", "1+"), valid="1-2"),
        message(field("A", "int8", "1+")),
        breaks=True,
    ),
    Example(
        "a tag comes back with the default of one of two releases",
        Case(
            0,
            (message({**_tagged("A", "int8", 0), "default": "7"}), message(_tagged("A", "int8", 0))),
            message(),
            message({**_tagged("A", "int8", 0), "default": "7"}),
        ),
        breaks=True,
    ),
    Example(
        "a tag comes back under another name with the default of one of two releases",
        Case(
            0,
            (message({**_tagged("A", "int8", 0), "default": "7"}), message(_tagged("A", "int8", 0))),
            message(),
            message(_tagged("B", "int8", 0)),
        ),
        breaks=True,
    ),
    _unreleased(
        "a tag comes back under another name with another default, where a field beside it is new",
        message(NUMBER, {**_tagged("B", "int8", 0), "default": "7"}),
        message(NUMBER, field("C", "int8")),
        message(NUMBER, field("C", "int8"), _tagged("D", "int8", 0)),
        breaks=True,
    ),
    _unreleased(
        "another default of a field that no release has in a tagged struct that releases have",
        message(_tagged("S", "S", 0) | {"fields": [NUMBER]}),
        message(_tagged("S", "S", 0) | {"fields": [NUMBER, field("B", "int8")]}),
        message(_tagged("S", "S", 0) | {"fields": [NUMBER, field("B", "int8", default="7")]}),
        breaks=False,
    ),
    _unreleased(
        "another default of a field of a release in a tagged struct that has a new one",
        message(_tagged("S", "S", 0) | {"fields": [NUMBER]}),
        message(_tagged("S", "S", 0) | {"fields": [NUMBER, field("B", "int8")]}),
        message(_tagged("S", "S", 0) | {"fields": [{**NUMBER, "default": "7"}, field("B", "int8")]}),
        breaks=True,
    ),
    _example(
        "a struct, the field inside and its default change where versions lack them",
        message(field("S", "S", "0", field("A", "int8", default="7")), flexible="none"),
        message(field("T", "T", "0", field("B", "int8")), flexible="none"),
        breaks=False,
    ),
    _example(
        "a struct is put around one that is null where versions lack it",
        message(field("S", "S", "1", NUMBER, nullableVersions="1", default="null"), flexible="none"),
        message(
            field("G", "G", "1", field("S", "S", "1", NUMBER, nullableVersions="1", default="null")),
            flexible="none",
        ),
        breaks=False,
    ),
    _example(
        "another default in a shared struct that lacks the field where its use gets another name",
        message(field("One", "S"), **_from_1("7"), valid="0-1"),
        message(field("Two", "S", "0"), field("One", "S", "1+"), **_from_1("0"), valid="0-1"),
        breaks=True,
    ),
    _example(
        "the use of a shared struct is split by versions, and its field is another",
        message(field("One", "[]S"), **SHARED_ARRAY),
        message(field("One", "[]S", "1+"), field("One", "[]S", "0"), **SHARED_ARRAY_0),
        breaks=True,
    ),
    _example(
        "a struct is split by versions, and a field of the later part gets a tag",
        message(field("S", "S", "0+", field("A", "string"), nullableVersions="0+")),
        message(
            field("S", "S", "0", field("A", "string"), nullableVersions="0"),
            field("S", "T", "1+", field("B", "string"), _tagged("A", "uuid", 0), nullableVersions="1+"),
        ),
        breaks=True,
    ),
    _example(
        "a struct is split by versions under two names",
        message(field("S", "S", "0+", field("A", "string"))),
        message(field("S", "S", "0", field("A", "string")), field("T", "T", "1+", field("A", "string"))),
        breaks=False,
    ),
    _unreleased(
        "a tag of a release goes to another field of a struct that trades names with one of other versions",
        message(field("A", "bool", "0"), field("Rows", "[]Row", "0+", NUMBER, _tagged("X", "bool", 0))),
        message(field("A", "bool", "0"), field("Rows", "[]Row", "0+", NUMBER)),
        message(field("Rows", "bool", "0"), field("A", "[]Row", "0+", NUMBER, _tagged("Y", "int16", 0))),
        breaks=True,
    ),
    _example(
        "two tags trade names, and fields inside one of them, which has versions that the other lacks",
        message(
            field("A", "uuid", "1+", taggedVersions="1+", tag=0),
            _tagged("B", "[]S", 1) | {"fields": [field("C", "[]int64"), _tagged("D", "[]bool", 0)]},
        ),
        message(
            field("B", "uuid", "1+", taggedVersions="1+", tag=0),
            _tagged("A", "[]S", 1) | {"fields": [field("D", "[]int64"), _tagged("C", "[]bool", 0)]},
        ),
        breaks=True,
    ),
    _example(
        "the fields of an array trade places, and a struct around it goes, where nothing is flexible",
        message(
            field("G", "G", "0+", field("S", "S", "0+", field("R", "[]R", "0+", NUMBER, field("B", "int8")))),
            flexible="none",
        ),
        message(
            field(
                "S",
                "S",
                "0+",
                field("R", "[]R", "0+", field("B", "int32"), field("A", "int8")),
            ),
            flexible="none",
        ),
        breaks=True,
    ),
    _unreleased(
        "a tag of a struct goes to another field while its use gets its third name, in a new version",
        message(field("One", "[]S", "0+", NUMBER, _tagged("X", "string", 0)), valid="0"),
        message(field("Two", "[]S", "0+", NUMBER), valid="1"),
        message(field("Three", "[]S", "0+", NUMBER, _tagged("Y", "int64", 0)), valid="1"),
        breaks=False,
    ),
    _unreleased(
        "a tag comes back under the name of a field that gets its name",
        message(NUMBER, _tagged("X", "[]int64", 0)),
        message(field("B", "int32")),
        message(_tagged("B", "[]int64", 0), field("X", "int32")),
        breaks=True,
    ),
    _unreleased(
        "a field comes back elsewhere with the default that it got under another name",
        message(NUMBER, field("B", "int8", "1+", default="7")),
        message(NUMBER, field("C", "int8", "1+")),
        message(field("B", "int8", "1+"), NUMBER),
        breaks=True,
    ),
    _unreleased(
        "a field gets another default, and the name that another one has in a release, by its tag",
        message(field("A", "bool"), field("B", "int32", "1+")),
        message(field("C", "int8"), field("B", "int32", "1+", taggedVersions="3+", tag=0), valid="0-3"),
        message(
            field("C", "int8"),
            field("A", "int32", "1+", taggedVersions="3+", tag=1, default="7"),
            valid="0-3",
        ),
        breaks=True,
    ),
    _unreleased(
        "a tag gets another default, as the name that its field has in a release goes to another one",
        message(_tagged("A", "int8", 0), NUMBER | {"name": "B"}),
        message(_tagged("C", "int8", 0), NUMBER | {"name": "D"}),
        message({**_tagged("C", "int8", 0), "default": "7"}, NUMBER | {"name": "A"}),
        breaks=True,
    ),
    _example(
        "a struct with the name of a field is put around it, where nothing is flexible",
        message(field("A", "[]string", nullableVersions="1+"), flexible="none"),
        message(field("A", "G", "0+", field("A", "[]string", nullableVersions="1+")), flexible="none"),
        breaks=False,
    ),
    _unreleased(
        "a tag that no release has gets a shared struct, inside which a version is broken already",
        message(_tagged("One", "S", 0), **SHARED_TAG),
        message(
            _tagged("One", "S", 0),
            field("Two", "T", "2+", NUMBER, taggedVersions="2+", tag=1),
            **SHARED_LATE_TAG,
        ),
        message(
            _tagged("One", "S", 0), field("Two", "S", "2+", taggedVersions="2+", tag=1), **SHARED_LATE_TAG
        ),
        breaks=False,
    ),
    _unreleased(
        "one of two fields of a name gets another type, and the other one another default",
        message(field("A", "uint16", "0-1", default="7")),
        message(field("A", "uint16", "0", default="7"), field("A", "uint16", "1", default="7")),
        message(field("A", "[]uint16", "0"), field("A", "uint16", "1")),
        breaks=True,
    ),
    _unreleased(
        "one of two fields of a name, of which one has another default already, gets another type",
        message(field("A", "uint16", "0-1", default="7")),
        message(field("A", "uint16", "0", default="7"), field("A", "uint16", "1")),
        message(field("A", "[]uint16", "0"), field("A", "uint16", "1")),
        breaks=True,
    ),
    _example(
        "a field is split by versions under two other names, of which the second has its default",
        message(field("A", "string", "1+", default="word")),
        message(field("B", "string", "2+"), field("C", "string", "1", default="word")),
        breaks=False,
    ),
    _unreleased(
        "a tag of a struct that a version with tags lacks goes to a field of another struct there",
        message(
            field("R", "R", "0", NUMBER, field("B", "int8", "0+", taggedVersions="2+", tag=0)), flexible="2+"
        ),
        message(field("R", "R", "0", NUMBER), flexible="2+"),
        message(field("R", "S", "0"), flexible="2+", **SHARED_ONLY_TAG),
        breaks=True,
    ),
    _unreleased(
        "a field that was renamed moves to the place of one that goes, after a tag was lost",
        message(NUMBER, field("B", "int32"), _tagged("C", "int8", 0)),
        message(field("D", "int32"), field("B", "int32")),
        message(field("E", "int32"), field("D", "int32")),
        breaks=False,
    ),
    _unreleased(
        "a tag is renamed and gets another sign, where no version of a release is left",
        message(_tagged("A", "[]uint32", 0), valid="2"),
        message(_tagged("A", "[]uint32", 0), valid="3"),
        message(_tagged("B", "[]int32", 0), valid="3"),
        breaks=True,
    ),
    _unreleased(
        "a default is put back that was another one, after a tag was lost",
        message(_tagged("A", "int16", 0), _tagged("B", "int8", 1)),
        message({**_tagged("A", "int16", 0), "default": "7"}),
        message(_tagged("A", "int16", 0)),
        breaks=False,
    ),
    _example(
        "a nullable struct is put into one, and inside it a field has its name, where nothing is flexible",
        message(
            field("A", "S", "0+", field("A", "T", "0+", field("B", "int8")), nullableVersions="0+"),
            flexible="none",
        ),
        message(
            field(
                "G",
                "G",
                "0+",
                field("A", "S", "0+", field("A", "T", "0+", field("B", "int8")), nullableVersions="0+"),
            ),
            flexible="none",
        ),
        breaks=False,
    ),
    _example(
        "a struct around others is put around the last field of one of them, with the same bytes",
        message(field("S", "S", "0+", field("T", "T", "0+", NUMBER, field("B", "int8")))),
        message(field("T", "T", "0+", NUMBER, field("U", "U", "0+", field("B", "int8")))),
        breaks=False,
    ),
    _unreleased(
        "a field gets another name and default in all versions of a release, and its name goes on after",
        message(field("A", "int16", "1+", default="7"), valid="0-1"),
        message(field("A", "int16", "1+", default="7")),
        message(field("A", "uuid", "2+"), field("B", "int16", "1")),
        breaks=False,
    ),
    _unreleased(
        "a field gets another default, and the name of one whose tag is another one already",
        message(
            field("A", "int64", "0"), field("B", "string", "0+", taggedVersions="1+", tag=0), flexible="1+"
        ),
        message(
            field("A", "int64", "0"), field("C", "int8", "1+", taggedVersions="1+", tag=0), flexible="1+"
        ),
        message(
            field("B", "int64", "0", default="7"),
            field("C", "int8", "1+", taggedVersions="1+", tag=0),
            flexible="1+",
        ),
        breaks=False,
    ),
    Example(
        "a version comes back as one of two releases has it, and a new tag has the name of the other's field",
        Case(
            0,
            (
                message(_tagged("A", "[]int64", 1), valid="0-1"),
                message(_tagged("B", "[]int64", 1), valid="1"),
            ),
            message(_tagged("B", "[]int64", 1), valid="2-3"),
            message(_tagged("B", "[]int64", 1), _tagged("A", "int32", 3), valid="1-3"),
        ),
        breaks=True,
    ),
    _unreleased(
        "another default of a field that was in an array, in a tagged struct that is broken already",
        message(_tagged("S", "S", 0) | {"fields": [field("R", "[]R", "0+", NUMBER)]}),
        message(_tagged("S", "S", 0) | {"fields": [NUMBER]}),
        message(_tagged("S", "S", 0) | {"fields": [{**NUMBER, "default": "7"}]}),
        breaks=False,
    ),
    _unreleased(
        "a released default returns in a tagged struct, in a version that has lost another field",
        message(field("K", "uuid"), _tagged("S", "S", 0) | {"fields": [{**NUMBER, "default": "7"}]}),
        message(_tagged("S", "S", 0) | {"fields": [{**NUMBER, "type": "uint32"}]}),
        message(_tagged("S", "S", 0) | {"fields": [{**NUMBER, "default": "7"}]}),
        breaks=False,
    ),
    _example(
        "a field is split, and its name goes on in a tagged struct where another one has its place",
        message(field("A", "int8", "0-1"), valid="0-1", flexible="1+"),
        message(
            field("A", "int8", "0"),
            field("B", "int8", "1"),
            field("A", "S", "1+", field("C", "uuid", "1+"), taggedVersions="1+", tag=0),
            valid="0-1",
            flexible="1+",
        ),
        breaks=True,
    ),
    Example(
        "a tag of an older release in a struct that has taken the place of its own, and is null since",
        Case(
            0,
            (
                message(field("S", "S", "0+", NUMBER, _tagged("B", "[]int8", 0)), valid="0"),
                message(field("S", "S", "0+", NUMBER), valid="0-1"),
            ),
            message(field("P", "T", "0+", NUMBER, nullableVersions="0+"), valid="0-1"),
            message(
                field("P", "T", "0+", NUMBER, _tagged("C", "uuid", 0), nullableVersions="0+"), valid="0-1"
            ),
        ),
        breaks=False,
    ),
    _example(
        "a struct is removed around two fields, the first of which is renamed, and put around the second",
        message(field("S", "S", "0+", NUMBER, field("B", "int16"))),
        message(field("P", "int32"), field("G", "G", "0+", field("B", "int16"))),
        breaks=False,
    ),
    _example(
        "two structs of flexible versions begin elsewhere and end where they did",
        message(
            field("S", "S", "0+", NUMBER, field("B", "int32")),
            field("C", "int32"),
            field("U", "U", "0+", field("D", "int32")),
        ),
        message(
            NUMBER,
            field("V", "V", "0+", field("B", "int32")),
            field("W", "W", "0+", field("C", "int32"), field("D", "int32")),
        ),
        breaks=False,
    ),
    _example(
        "a struct is removed around two fields that trade places, and put around the second",
        message(field("S", "S", "0+", NUMBER, field("B", "int32"))),
        message(field("B", "int32"), field("G", "G", "0+", NUMBER)),
        breaks=False,
    ),
    _example(
        "a struct is removed around a field beside a tagged one that changes its type",
        message(field("S", "S", "0+", NUMBER, field("B", "int32")), _tagged("T", "int8", 0)),
        message(NUMBER, field("G", "G", "0+", field("B", "int32")), _tagged("T", "int16", 0)),
        breaks=True,
    ),
    _unreleased(
        "a field that only a release has is back under another name, with another default",
        message(field("A", "int32", "1+", default="7")),
        message(),
        message(field("B", "int32", "1+", default="16")),
        breaks=False,
    ),
    _unreleased(
        "a struct that only a release has is back, with another default inside",
        message(field("S", "S", "1+", field("B", "int32", "1+", default="7"))),
        message(),
        message(field("G", "G", "1+", field("R", "int32", "1+", default="16"))),
        breaks=False,
    ),
    _unreleased(
        "a struct that came around others is left out, and the field inside gets another name and default",
        message(field("A", "S", "1+", field("B", "int32", "1+", default="7")), flexible="none"),
        message(
            field("B", "S", "1+", field("G", "G", "1+", field("B", "int32", "1+", default="7"))),
            flexible="none",
        ),
        message(field("G", "G", "1+", field("R", "int32", "1+", default="16")), flexible="none"),
        breaks=False,
    ),
    _unreleased(
        "a struct that has the tag of a released one gets, in a new version, a tag that this one has inside",
        message(_tagged("S", "S", 0) | {"fields": [_tagged("T", "T", 0) | {"fields": [NUMBER]}]}, valid="0"),
        message(_tagged("T", "T", 0) | {"fields": [field("A", "int32", "1+")]}, valid="0"),
        message(
            _tagged("T", "T", 0) | {"fields": [field("A", "int32", "1+"), _later("C")]},
            valid="0-1",
        ),
        breaks=True,
    ),
    _unreleased(
        "a field gets the name of one that only a release has, and has another default",
        message(field("A", "int64", "1-2")),
        message(_later("B"), field("C", "int16", "1-2")),
        message(_later("A"), field("C", "int16", "1-2")),
        breaks=True,
    ),
    _unreleased(
        "bytes that a release has as a number become records, in a tagged struct",
        message(_tagged("S", "S", 0) | {"fields": [NUMBER]}),
        message(_tagged("S", "S", 0) | {"fields": [field("A", "bytes")]}),
        message(_tagged("S", "S", 0) | {"fields": [field("A", "records")]}),
        breaks=False,
    ),
    _unreleased(
        "a default is put back, of a field that may be null since",
        message(_tagged("A", "bytes", 0)),
        message(_tagged("A", "bytes", 0) | {"nullableVersions": "0+", "default": "null"}),
        message(_tagged("A", "bytes", 0) | {"nullableVersions": "0+"}),
        breaks=False,
    ),
    _unreleased(
        "a tag that no release has goes, also from the unstable version, which a release has as another one",
        message(field("A", "int16")),
        message(NUMBER, _later("B"), latestVersionUnstable=True),
        message(NUMBER, latestVersionUnstable=True),
        breaks=False,
    ),
    _unreleased(
        "a struct around a released one gets a tag that this one has inside",
        message(field("S", "S", "0+", _tagged("A", "bool", 0))),
        message(field("G", "G", "0+", field("S", "S", "0+", _tagged("A", "bool", 0)))),
        message(
            field("G", "G", "0+", field("S", "S", "0+", _tagged("A", "bool", 0)), _tagged("B", "int8", 0))
        ),
        breaks=False,
    ),
    _unreleased(
        "a struct without the one around it gets a tag that this one had inside",
        message(field("G", "G", "0+", field("S", "S", "0+", NUMBER), _tagged("A", "bool", 0))),
        message(field("S", "S", "0+", NUMBER), _tagged("A", "bool", 0)),
        message(field("S", "S", "0+", NUMBER, _tagged("B", "int8", 0)), _tagged("A", "bool", 0)),
        breaks=False,
    ),
    _unreleased(
        "a field gets the name of a tagged one that only a release has, and has another default",
        message(field("A", "int64", "1+"), field("B", "int64", "2+", taggedVersions="2+", tag=0)),
        message(field("A", "int64", "1+", default="7")),
        message(field("B", "int64", "1+", default="7")),
        breaks=True,
    ),
    _example(
        "a field gets the tag of one whose tagged versions are withdrawn, and which has another name",
        message(field("A", "uuid", taggedVersions="1+", tag=0), valid="0-1"),
        message(
            field("B", "string", taggedVersions="1+", tag=0), field("C", "uuid"), valid="0", flexible="0+"
        ),
        breaks=True,
    ),
    _unreleased(
        "bytes and records trade names, and no release has one of the two",
        message(field("A", "records", "1+"), valid="0-1", flexible="none"),
        message(field("A", "records", "1+"), field("B", "[]int8", "2+"), flexible="none"),
        message(field("B", "bytes", "1+"), field("A", "[]int8", "2+"), flexible="none"),
        breaks=False,
    ),
    _unreleased(
        "a field is split, and a later patch withdraws the versions of the first part",
        message(field("A", "int64", "0-1", default="16")),
        message(field("A", "int64", "0", default="16"), field("P", "int64", "1")),
        message(field("P", "int64", "1"), valid="1-2"),
        breaks=False,
    ),
    _example(
        "two fields become one, and another one with the default of the first has the place of the second",
        message(
            field("P", "int8", "0"),
            field("A", "int8", "1+", default="16"),
            field("C", "int8", "1+"),
            valid="0-1",
        ),
        message(field("P", "int8", "0+"), field("B", "int8", "1+", default="16"), valid="0-1"),
        breaks=False,
    ),
    _example(
        "a field has another name and default, and its name goes to one that shares no version with it",
        message(field("P", "int32", "0"), field("A", "int32", "1+", default="7")),
        message(field("A", "int32", "0"), field("B", "int32", "1+")),
        breaks=False,
    ),
    _unreleased(
        "the first field of a struct that had a tag in a release moves in front of it",
        message(field("S", "S", "0+", _later("T"), NUMBER, field("B", "int8"))),
        message(field("S", "S", "0+", NUMBER, field("B", "int8"))),
        message(NUMBER, field("S", "S", "0+", field("B", "int8"))),
        breaks=False,
    ),
    _example(
        "the first field of a struct with a tag moves in front of it",
        message(field("S", "S", "0+", _later("T"), NUMBER, field("B", "int8"))),
        message(NUMBER, field("S", "S", "0+", _later("T"), field("B", "int8"))),
        breaks=False,
    ),
    _example(
        "the first field of a struct moves in front of it, and its tagged field has another type",
        message(field("S", "S", "0+", _later("T"), NUMBER, field("B", "int8"))),
        message(NUMBER, field("S", "S", "0+", _later("T") | {"type": "int16"}, field("B", "int8"))),
        breaks=True,
    ),
    _example(
        "an array whose elements have a tag leaves a struct to its front, and the struct gets a tag",
        message(field("S", "S", "0+", field("R", "[]R", "0+", _later("T")), NUMBER)),
        message(field("R", "[]R", "0+", _later("T")), field("S", "S", "0+", NUMBER, _tagged("B", "int8", 0))),
        breaks=False,
    ),
    _example(
        "an array whose elements have a tag leaves a struct to its front, and the tag comes to more versions",
        message(field("S", "S", "0+", field("R", "[]R", "0+", _later("T")), NUMBER)),
        message(
            field("R", "[]R", "0+", {**_tagged("T", "int64", 0), "default": "7"}),
            field("S", "S", "0+", NUMBER),
        ),
        breaks=True,
    ),
    _example(
        "an array whose elements have a tag leaves a struct to its front, in a tagged struct",
        message(
            _tagged("U", "U", 0)
            | {"fields": [field("S", "S", "0+", field("R", "[]R", "0+", _tagged("T", "uuid", 0)), NUMBER)]}
        ),
        message(
            _tagged("U", "U", 0)
            | {"fields": [field("R", "[]R", "0+", _tagged("T", "uuid", 0)), field("S", "S", "0+", NUMBER)]}
        ),
        breaks=False,
    ),
    _unreleased(
        "the parts of a split field are joined under its name, without its default",
        message(field("A", "int32", "0-2", default="7"), valid="0-3", flexible="none"),
        message(
            field("A", "int32", "0-1", default="7"), field("B", "uint32", "2"), valid="0-3", flexible="none"
        ),
        message(field("A", "uint32", "2"), valid="2-3", flexible="none"),
        breaks=True,
    ),
    _unreleased(
        "the second part of a split field gets a third name, and the first one goes with its default",
        message(field("A", "int32", "0-2", default="7"), valid="0-3"),
        message(field("A", "int32", "0-1", default="7"), field("B", "int32", "2"), valid="0-3"),
        message(field("C", "int32", "2"), valid="2-3"),
        breaks=False,
    ),
    _unreleased(
        "the parts of a split field trade names and defaults",
        message(field("A", "int32", "0-2", default="7"), valid="0-3"),
        message(field("A", "int32", "0-1", default="7"), field("B", "int32", "2"), valid="0-3"),
        message(field("A", "int32", "2"), field("B", "int32", "0-1", default="7"), valid="0-3"),
        breaks=True,
    ),
    _unreleased(
        "the structs that one was split into are joined under its name, without the default inside",
        message(field("A", "S", "0-2", field("X", "int32", default="7")), valid="0-3"),
        message(
            field("A", "S", "0-1", field("X", "int32", default="7")),
            field("B", "T", "2", field("X", "int32")),
            valid="0-3",
        ),
        message(field("A", "S", "2", field("X", "int32")), valid="2-3"),
        breaks=True,
    ),
    _unreleased(
        "two of three parts of a split field go, one of which had its name without its default",
        message(field("A", "int32", "0-2", default="7"), valid="0-3"),
        message(
            field("A", "int32", "0", default="7"),
            field("B", "int32", "2"),
            field("A", "int32", "1"),
            valid="0-3",
        ),
        message(field("A", "int32", "2"), valid="2-3"),
        breaks=False,
    ),
    _unreleased(
        "the second part of a split field gets the name of a later field with the same default",
        message(field("A", "int32", "0-2", default="7"), valid="0-3"),
        message(
            field("A", "int32", "0-1", default="7"),
            field("B", "int32", "2"),
            field("C", "int32", "4+"),
            valid="0-4",
        ),
        message(field("C", "int32", "2"), valid="2-4"),
        breaks=False,
    ),
    _unreleased(
        "an array goes from before a field that no release has, and comes back behind it",
        message(field("A", "[]uint32")),
        message(field("A", "[]uint32"), field("B", "uint32")),
        message(field("B", "uint32"), field("C", "[]uint32")),
        breaks=True,
    ),
    _unreleased(
        "an array leaves versions, after its elements lost their struct",
        message(field("A", "[]S", "0+", field("B", "uuid"))),
        message(field("A", "[]uuid")),
        message(field("C", "[]uuid", "1+")),
        breaks=True,
    ),
    _unreleased(
        "an array gets a tag, after its elements got a struct",
        message(field("A", "[]uint32")),
        message(field("A", "[]W", "0+", field("B", "uint32"))),
        message(field("A", "[]W", "0+", field("B", "uint32"), **TAGGED)),
        breaks=True,
    ),
    _unreleased(
        "a tagged array loses its null, after its elements got a struct",
        message(field("A", "[]bool", **TAGGED, nullableVersions="0+")),
        message(field("A", "[]W", "0+", field("B", "bool"), **TAGGED, nullableVersions="0+")),
        message(field("A", "[]W", "0+", field("B", "bool"), **TAGGED)),
        breaks=True,
    ),
    _unreleased(
        "a struct that came around a field gets a tag that the message has",
        message(field("A", "string"), _tagged("B", "int32", 0)),
        message(field("G", "G", "0+", field("A", "string")), _tagged("B", "int32", 0)),
        message(
            field("G", "G", "0+", field("A", "string"), _tagged("C", "[]bytes", 0)), _tagged("B", "int32", 0)
        ),
        breaks=True,
    ),
    _unreleased(
        "what follows an array whose elements were misread gets a null",
        message(field("A", "[]bytes"), field("B", "[]int8")),
        message(field("B", "[]int8"), field("A", "[]bytes")),
        message(field("B", "[]int8"), field("A", "[]bytes", nullableVersions="0+")),
        breaks=True,
    ),
    _unreleased(
        "a field goes from behind a place that was misread before",
        message(field("A", "int8"), NUMBER | {"name": "B"}),
        message(field("A", "string"), NUMBER | {"name": "B"}),
        message(field("A", "string")),
        breaks=True,
    ),
    _unreleased(
        "a field gets the name of a tagged one whose tag is misread",
        message(field("A", "int64"), _tagged("B", "bytes", 0)),
        message(field("A", "int64"), _tagged("C", "int64", 0)),
        message(field("B", "int64"), _tagged("C", "int64", 0)),
        breaks=True,
    ),
    _unreleased(
        "a request becomes flexible, and lacked a field before",
        message(field("A", "bytes"), type="request", apiKey=7, flexible="none"),
        message(type="request", apiKey=7, flexible="none"),
        message(field("A", "bytes"), type="request", apiKey=7, flexible="0+"),
        breaks=True,
    ),
    _example(
        "a struct takes a tag that one of the same fields elsewhere keeps",
        message(field("R", "[]R", "0+", _tagged("A", "bytes", 0)), _tagged("A", "bytes", 0)),
        message(field("R", "[]R", "0+", _tagged("B", "bytes", 0)), _tagged("A", "bytes", 0)),
        breaks=True,
    ),
    _example(
        "a tag and a field trade names, in an array that gets another tag",
        message(field("R", "[]R", "0+", field("A", "int16"), _tagged("B", "bytes", 0), **TAGGED)),
        message(
            field("R", "[]R", "0+", field("B", "int16"), _tagged("A", "bytes", 0), taggedVersions="0+", tag=1)
        ),
        breaks=True,
    ),
    _unreleased(
        "a shared struct, whose tag has another name than in the release, is named in another order",
        message(field("A", "S"), field("B", "[]S", **TAGGED), **SHARED_TAG),
        message(field("A", "S"), field("B", "[]S", **TAGGED), **SHARED_TAG_B),
        message(field("B", "[]S", **TAGGED), field("A", "S"), **SHARED_TAG_B),
        breaks=False,
    ),
    _example(
        "another type of integer and another default, where a version lacks the field",
        message(field("A", "int32", "1+", default="16")),
        message(field("A", "int8", "1+", default="7")),
        breaks=True,
    ),
    _example(
        "a float instead of an integer and another default, where a version lacks the field",
        message(field("A", "int32", "1+", default="16")),
        message(field("A", "float64", "1+", default="1.5")),
        breaks=True,
    ),
    _example(
        "a string instead of an integer, where a version lacks the field",
        message(field("A", "int32", "1+", default="16")),
        message(field("A", "string", "1+")),
        breaks=True,
    ),
    _unreleased(
        "a released tag of a struct that is split by versions goes to another field in one part",
        message(field("One", "S", "1+", field("B", "[]uuid"), field("X", "bool", **TAGGED)), valid="0-3"),
        message(
            field("One", "T", "2+", field("B", "[]uuid")),
            field("Part", "S", "1", field("B", "[]uuid")),
            valid="0-3",
        ),
        message(
            field("One", "T", "2+", field("B", "[]uuid"), field("Y", "int8", **TAGGED)),
            field("Part", "S", "1", field("B", "[]uuid")),
            valid="0-3",
        ),
        breaks=True,
    ),
    _example(
        "a field keeps its bytes in a version that becomes flexible, whose tagged section is new",
        message(field("A", "string"), valid="0-1", flexible="1+"),
        message(field("A", "string", flexibleVersions="1+"), valid="0-1"),
        breaks=True,
    ),
    _unreleased(
        "a field and a struct trade names inside a struct that was renamed since the release",
        message(field("One", "S", "0+", field("A", "[]uuid"), field("B", "T", "0+", field("C", "int32")))),
        message(field("Two", "S", "0+", field("A", "[]uuid"), field("B", "T", "0+", field("C", "int32")))),
        message(field("Two", "S", "0+", field("B", "[]uuid"), field("A", "T", "0+", field("C", "int32")))),
        breaks=True,
    ),
    _example(
        "another default where a version lacks the field, in a struct with one other field and a new name",
        message(
            field("One", "S", "0+", field("A", "bytes", "0"), field("B", "int16", "1+", default="7")),
            valid="0-1",
        ),
        message(
            field("Two", "S", "0+", field("A", "bytes", "0"), field("B", "int16", "1+", default="16")),
            valid="0-1",
        ),
        breaks=True,
    ),
    _unreleased(
        "a struct of one field, renamed since the release, becomes nullable and moves behind another field",
        message(
            field("One", "S", "0+", field("A", "[]int32", nullableVersions="0+")),
            field("B", "int32"),
            flexible="none",
        ),
        message(
            field("A", "S", "0+", field("A", "[]int32", nullableVersions="0+")),
            field("B", "int32"),
            flexible="none",
        ),
        message(
            field("B", "int32"),
            field("A", "S", "0+", field("A", "[]int32", nullableVersions="0+"), nullableVersions="0+"),
            flexible="none",
        ),
        breaks=True,
    ),
    _unreleased(
        "a field that only the old side has gets another type, behind a place that was misread before",
        message(field("A", "int8")),
        message(field("A", "string"), field("B", "int8")),
        message(field("A", "string"), field("B", "int16")),
        breaks=False,
    ),
    _unreleased(
        "a field that the old side had removed comes back, behind a place that was misread before",
        message(field("A", "int8"), field("B", "int8")),
        message(field("A", "string")),
        message(field("A", "string"), field("B", "int8")),
        breaks=False,
    ),
    _unreleased(
        "an array of structs and a struct trade names after the last version of a release",
        message(
            field("A", "[]S"), field("B", "T", "0+", _tagged("Y", "float64", 0)), valid="1", **_tag_in_s(0)
        ),
        message(
            field("A", "[]S"), field("B", "T", "0+", _tagged("Y", "float64", 0)), valid="2", **_tag_in_s(0)
        ),
        message(
            field("B", "[]S"), field("A", "T", "0+", _tagged("Y", "float64", 0)), valid="2", **_tag_in_s(1)
        ),
        breaks=False,
    ),
    _unreleased(
        "a field leaves a struct that has taken the tag of an array before the patch",
        message(_tagged("A", "[]bytes", 0), valid="2"),
        message(field("B", "S", "0+", field("C", "[]int64"), **TAGGED), valid="2-3"),
        message(field("B", "S", "0+", field("C", "[]int64", "3+"), **TAGGED), valid="2-3"),
        breaks=False,
    ),
    Example(
        "what was misread for one release is restored, though another one had it differently",
        Case(
            0,
            (
                message(field("A", "int8"), valid="0"),
                message(field("A", "string"), field("B", "int8"), valid="0"),
            ),
            message(field("A", "int16"), field("B", "int8"), valid="0"),
            message(field("A", "int8"), valid="0"),
        ),
        False,
    ),
    _unreleased(
        "a field inside a struct leaves a version, after the struct lost its tag there",
        message(field("S", "S", "0+", _tagged("X", "[]int32", 0), taggedVersions="0+", tag=2)),
        message(field("S", "S", "0+", _tagged("X", "[]int32", 0), taggedVersions="1+", tag=2)),
        message(
            field(
                "S",
                "S",
                "0+",
                field("X", "[]int32", "1+", taggedVersions="1+", tag=0),
                taggedVersions="1+",
                tag=2,
            )
        ),
        breaks=True,
    ),
    _unreleased(
        "a field inside an array is added, after the array moved",
        message(field("A", "[]int32"), field("B", "[]S", "0+", field("C", "[]int32", "2")), flexible="none"),
        message(field("B", "[]S", "0+", field("C", "[]int32", "2")), field("A", "[]int32"), flexible="none"),
        message(
            field("B", "[]S", "0+", field("C", "[]int32", "1-2")), field("A", "[]int32"), flexible="none"
        ),
        breaks=True,
    ),
    _unreleased(
        "a field inside a struct is added, after an array of this struct became one struct",
        message(field("S", "[]S", "0+", NUMBER)),
        message(field("S", "S", "0+", NUMBER)),
        message(field("S", "S", "0+", NUMBER, field("B", "int8"))),
        breaks=True,
    ),
    _unreleased(
        "a field gets another type, after it moved",
        message(field("A", "uint16"), field("B", "string")),
        message(field("B", "string"), field("A", "uint16")),
        message(field("B", "uint16"), field("A", "uint16")),
        breaks=True,
    ),
    _unreleased(
        "a field moves behind one that was added before and one that stays",
        message(field("A", "uuid"), field("B", "uuid"), flexible="none"),
        message(field("A", "uuid"), field("C", "uuid"), field("B", "uuid"), flexible="none"),
        message(field("C", "uuid"), field("B", "uuid"), field("A", "uuid"), flexible="none"),
        breaks=True,
    ),
    _unreleased(
        "a field is removed behind a new one that is as long",
        message(NUMBER, field("B", "string", nullableVersions="0+")),
        message(NUMBER, field("C", "string"), field("B", "string", nullableVersions="0+")),
        message(NUMBER, field("C", "string")),
        breaks=True,
    ),
    _unreleased(
        "a tagged field is removed, after another field got the name that it has in a release",
        message(field("A", "[]uint32"), {**_tagged("X", "float64", 0), "#": 1}),
        message(field("X", "[]uint32"), {**_tagged("Y", "float64", 0), "#": 1}),
        message(field("X", "[]uint32")),
        breaks=False,
    ),
    _unreleased(
        "a version becomes flexible, after it lost its only field",
        message(field("A", "string"), flexible="3+"),
        message(flexible="3+"),
        message(flexible="2+"),
        breaks=True,
    ),
    _unreleased(
        "a tagged field that no release has loses its tag, behind a field that was added before",
        message(),
        message(field("A", "bool"), _tagged("X", "int32", 0)),
        message(field("A", "bool"), field("X", "[]int32", "0+", taggedVersions="1+", tag=0)),
        breaks=True,
    ),
    _unreleased(
        "a field of a later version that no release has comes into one, behind a field that was added before",
        message(),
        message(field("A", "bool"), field("B", "int32", "2+")),
        message(field("A", "bool"), field("B", "int32", "1+")),
        breaks=True,
    ),
    _unreleased(
        "a field that is elsewhere and has another name than in a release is removed",
        message({**NUMBER, "#": 1}, {**field("B", "[]bool"), "#": 2}),
        message({**field("C", "[]bool"), "#": 2}, {**NUMBER, "#": 1}),
        message({**NUMBER, "#": 1}),
        breaks=False,
    ),
    _unreleased(
        "a field that had no tag once, with another name than in a release, gets another tag",
        message(field("X", "bool", "0+", taggedVersions="2+", tag=0), field("A", "bool", "2+")),
        message(field("Y", "bool", "0+", taggedVersions="2+", tag=0)),
        message(field("Y", "bool", "0+", taggedVersions="2+", tag=1)),
        breaks=False,
    ),
    _example(
        "an array takes the structs of an array inside it, which have one of its tags",
        message(
            field("Z", "[]S", "1-3"),
            field("A", "[]T", "1+", _tagged_since(2, "X"), field("B", "[]S", "3+")),
            **_with_struct_in_s(),
        ),
        message(field("Z", "[]S", "1-3"), field("A", "[]S", "1+"), **_with_struct_in_s()),
        breaks=True,
    ),
    _unreleased(
        "an array gets the name back that it had before the tag of its structs got another one",
        message(field("A", "[]S", "1+"), **_tag_named("B")),
        message(field("B", "[]S", "1+"), **_tag_named("C")),
        message(field("B", "[]S", "1"), field("A", "[]S", "1+"), **_tag_named("C")),
        breaks=True,
    ),
    _example(
        "an array becomes a nullable struct at its place, inside the struct before it",
        message(field("S", "S", "0+", NUMBER), _nullable_f("[]T"), flexible="none"),
        message(field("S", "S", "0+", NUMBER, _nullable_f("T")), flexible="none"),
        breaks=True,
    ),
    _unreleased(
        "an array becomes a nullable struct inside another one, behind one of two copies of a struct",
        message(
            field("S", "S", "0+", NUMBER),
            field("P", "Two"),
            _nullable_f("[]T"),
            field("Q", "Two"),
            **_two(),
        ),
        message(
            field("S", "S", "0+", NUMBER),
            field("P", "Two", "2+"),
            _nullable_f("[]T"),
            field("Q", "Two"),
            **_two(),
        ),
        message(
            field("S", "S", "0+", NUMBER, _nullable_f("T")),
            field("P", "Two", "2+"),
            field("Q", "Two"),
            **_two(),
        ),
        breaks=True,
    ),
    _example(
        "two structs that have a tag trade their fields' names",
        message(
            field("A", "S", "0+", field("F", "bool", **TAGGED)),
            field("B", "R", "0+", field("G", "bool", **TAGGED)),
        ),
        message(
            field("B", "S", "0+", field("F", "bool", **TAGGED)),
            field("A", "R", "0+", field("G", "bool", **TAGGED)),
        ),
        breaks=True,
    ),
    _unreleased(
        "a field is removed, and one of its type is added before one that no release has",
        message(_numbered(1, "A", "[]int32"), _numbered(2, "B", "uint32"), flexible="none"),
        message(_numbered(3, "C", "int64"), _numbered(2, "B", "uint32"), flexible="none"),
        message(_numbered(4, "D", "uint32"), _numbered(3, "C", "int64"), flexible="none"),
        breaks=True,
    ),
    _unreleased(
        "a struct becomes nullable, behind another one, and its field has another name already",
        message(field("S", "S", "0+", field("A", "string"))),
        message(field("T", "T", "0+", field("L", "[]uuid")), field("S", "S", "0+", field("B", "string"))),
        message(
            field("T", "T", "0+", field("L", "[]uuid")),
            field("S", "S", "0+", field("B", "string"), nullableVersions="0+"),
        ),
        breaks=True,
    ),
    _unreleased(
        "all bytes are back, beside an absent field whose default stays changed",
        message(field("A", "uuid"), field("B", "int8", "3+"), valid="0-3", flexible="none"),
        message(field("B", "int8", "3+", default="7"), valid="0-3", flexible="none"),
        message(field("C", "uuid"), field("B", "int8", "3+", default="7"), valid="0-3", flexible="none"),
        breaks=False,
    ),
    _unreleased(
        "a tag is of another number in a struct with another name",
        message(field("S", "S", "0+", field("A", "int32", **TAGGED), field("B", "int8")), valid="0-2"),
        message(field("S", "S", "0+", field("A", "int32", **TAGGED), field("B", "int8")), valid="0-2"),
        message(
            field("S", "S", "0", field("A", "int32", **TAGGED), field("B", "int8")),
            field("P", "P", "1+", _tagged_since(1, "A"), field("B", "int8")),
            valid="0-2",
        ),
        breaks=True,
    ),
    _unreleased(
        "two fields of one type change places where one has no other place in the release",
        message(field("L", "[]int64", **TAGGED), field("M", "[]int64")),
        message(field("L", "[]int64"), field("M", "[]int64")),
        message(field("M", "[]int64"), field("L", "[]int64")),
        breaks=False,
    ),
    _unreleased(
        "a field is back in its place, and one that was renamed in its own",
        message(_numbered(1, "A", "int64"), _numbered(2, "B", "int64"), _numbered(3, "C", "int64")),
        message(_numbered(2, "D", "int64"), _numbered(1, "A", "int64"), _numbered(3, "C", "uint32")),
        message(_numbered(1, "A", "int64"), _numbered(4, "E", "int64"), _numbered(3, "C", "uint32")),
        breaks=False,
    ),
    _unreleased(
        "a field is removed behind one that replaces another, and one of its type is added in front",
        message(_numbered(1, "A", "int8"), _numbered(2, "B", "int8"), flexible="none"),
        message(_numbered(3, "C", "int64"), _numbered(2, "B", "int8"), flexible="none"),
        message(_numbered(4, "D", "int8"), _numbered(3, "C", "int64"), flexible="none"),
        breaks=True,
    ),
    _unreleased(
        "a field gets its type in the release back, and another name",
        message(field("A", "int64"), field("L", "[]bytes", nullableVersions="0+"), flexible="none"),
        message(field("A", "bytes"), field("L", "[]bytes"), flexible="none"),
        message(field("B", "int64"), field("L", "[]bytes"), flexible="none"),
        breaks=False,
    ),
    _unreleased(
        "a tagged field leaves released versions for those after them, and gets another tag",
        message(field("L", "[]int16", **TAGGED), field("A", "bytes")),
        message(field("L", "[]int16", **TAGGED), valid="0-3"),
        message(field("L", "[]int16", "3+", taggedVersions="3+", tag=1), valid="0-3"),
        breaks=True,
    ),
    _unreleased(
        "a field that a release has under a tag gets a default where it has no tag",
        message(field("A", "float64", **TAGGED), valid="0"),
        message(field("L", "[]uuid"), field("A", "float64"), valid="0"),
        message(field("A", "float64", default="1.5"), valid="0"),
        breaks=False,
    ),
    _unreleased(
        "the type of a field changes, of one width, after another order of the fields",
        message(field("A", "uint16"), field("L", "[]int16"), field("B", "int16")),
        message(field("B", "int16"), field("A", "uint16"), field("L", "[]int16")),
        message(field("B", "int16"), field("A", "int16"), field("L", "[]int16")),
        breaks=True,
    ),
    _unreleased(
        "a field that was renamed, and had another type before, moves before one that no release has",
        message(_numbered(1, "A", "[]uint16")),
        message(_numbered(2, "B", "float64"), _numbered(1, "A", "[]int64")),
        message(_numbered(1, "C", "[]int64"), _numbered(2, "B", "float64")),
        breaks=False,
    ),
    Example(
        "a tag gets back the type that it has in two releases, with the default of one",
        Case(
            0,
            (
                message({**_tagged("A", "bool", 0), "default": "true"}),
                message(_tagged("B", "bool", 0)),
            ),
            message(_tagged("C", "string", 0)),
            message(_tagged("C", "bool", 0)),
        ),
        breaks=False,
    ),
    _example(
        "a field of a struct that is renamed loses its tag in a version that gets no other one",
        message(field("A", "S", "0+", field("L", "string"), _tagged("P", "uint16", 0)), valid="0"),
        message(field("B", "S", "0+", field("L", "string"), field("P", "uint16", "1+")), valid="0-1"),
        breaks=True,
    ),
    _example(
        "a default changes where a version lacks it, in a struct that is renamed and gets a tag",
        message(field("A", "S", "0+", field("L", "string"), field("Q", "int32", "1+"))),
        message(
            field(
                "B",
                "S",
                "0+",
                field("L", "string"),
                field("Q", "int32", "1+", default="7"),
                _tagged("P", "uint16", 0),
            )
        ),
        breaks=True,
    ),
    _example(
        "a field is split by versions, and a tag of its struct goes to another name in one part",
        message(field("F", "[]S", "0+", _tagged("A", "string", 0))),
        message(
            field("F", "[]S", "0-1", _tagged("A", "string", 0)),
            field("F", "[]T", "2+", _tagged("B", "string", 0)),
        ),
        breaks=True,
    ),
    _unreleased(
        "a field of a shared struct returns whose tag went to another name before",
        message(field("A", "S"), field("B", "[]S"), **_tag_named("T")),
        message(field("A", "S"), **_tag_named("U")),
        message(field("A", "S"), field("B", "[]S"), valid="0-3", **_tag_named("U")),
        breaks=False,
    ),
    _unreleased(
        "a field gets a struct whose tag has another name in a release, and which other fields have",
        message(field("A", "[]S"), field("B", "T", "0+", _tagged("T", "int16", 0)), **_tag_named("U")),
        message(field("A", "[]S"), **_tag_named("U")),
        message(field("A", "[]S"), field("B", "S", "0+"), valid="0-3", **_tag_named("U")),
        breaks=True,
    ),
    _example(
        "a field changes in a struct whose two parts have one tag for two names",
        message(
            field("F", "S", "1+", field("A", "int16"), _tagged("B", "string", 0)),
            field("F", "T", "0", _tagged("C", "string", 0)),
        ),
        message(
            field("F", "S", "1+", field("D", "int16"), _tagged("B", "string", 0)),
            field("F", "T", "0", _tagged("C", "string", 0)),
            valid="0-3",
        ),
        breaks=False,
    ),
)
