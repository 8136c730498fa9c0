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


def _nullable_f(kind: str) -> Spec:
    return field("F", kind, "0+", field("I", "[]float64"), nullableVersions="0+")


SHARED_2: Spec = {"commonStructs": [{"name": "S", "versions": "0+", "fields": [field("F", "uuid", "2+")]}]}
SHARED_TAG: Spec = {
    "commonStructs": [
        {"name": "S", "versions": "0+", "fields": [field("A", "[]int8"), _tagged("F", "uint16", 0)]}
    ]
}


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
        "a field that has the name of a release's tag leaves a version of it",
        message(NUMBER, field("B", "int32", "0+", taggedVersions="0+", tag=0)),
        message(NUMBER),
        message(field("B", "int32", "0+", taggedVersions="2+", tag=0)),
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
    _example(
        "a tag is reused in a version of the second release that had it",
        message(NUMBER, field("X", "[]bool", "1+", taggedVersions="1+", tag=0)),
        message(NUMBER, field("X", "[]bool", "1+", taggedVersions="1+", tag=0), valid="2-3"),
        message(NUMBER, valid="2-3"),
        message(NUMBER, field("Y", "float64", "3+", taggedVersions="3+", tag=0), valid="2-3"),
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
        "a field comes back with another default, where versions lack it",
        message(field("A", "int8", "1+", default="-2")),
        message(),
        message(field("A", "int8", "1+")),
        breaks=True,
    ),
    _unreleased(
        "a field comes back with its default, where versions lack it",
        message(field("A", "int8", "1+", default="-2")),
        message(),
        message(field("A", "int8", "1+", default="-2")),
        breaks=False,
    ),
    _example(
        "a struct is replaced by one that has a field in more versions, and is used elsewhere as it was",
        message(field("One", "T", "0+", field("B", "[]int8", "0")), _shared_array(), **SHARED_ARRAY),
        message(field("One", "S"), _shared_array(), **SHARED_ARRAY),
        breaks=True,
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
    _example(
        "a tag goes to an array of the struct that had it, as its only version is withdrawn",
        message(field("A", "S", "0+", NUMBER, taggedVersions="3+", tag=0), valid="2-3"),
        message(field("B", "[]S", "0+", NUMBER, taggedVersions="3+", tag=0), valid="2"),
        breaks=True,
    ),
    _unreleased(
        "a version comes back that lacks a field as a release has it",
        message(field("A", "int8", "1+", default="7")),
        message(field("A", "int8", "1+", default="7"), valid="1-2"),
        message(field("A", "int8", "1+", default="7")),
        breaks=False,
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
    _example(
        "a struct with the name of a field is put around it, where nothing is flexible",
        message(field("A", "[]string", nullableVersions="1+"), flexible="none"),
        message(field("A", "G", "0+", field("A", "[]string", nullableVersions="1+")), flexible="none"),
        breaks=False,
    ),
    _example(
        "a field is split by versions under two other names, of which the second has its default",
        message(field("A", "string", "1+", default="word")),
        message(field("B", "string", "2+"), field("C", "string", "1", default="word")),
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
    _example(
        "a field gets the tag of one whose tagged versions are withdrawn, and which has another name",
        message(field("A", "uuid", taggedVersions="1+", tag=0), valid="0-1"),
        message(
            field("B", "string", taggedVersions="1+", tag=0), field("C", "uuid"), valid="0", flexible="0+"
        ),
        breaks=True,
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
        "a field goes from behind a place that was misread before",
        message(field("A", "int8"), NUMBER | {"name": "B"}),
        message(field("A", "string"), NUMBER | {"name": "B"}),
        message(field("A", "string")),
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
    _example(
        "a field keeps its bytes in a version that becomes flexible, whose tagged section is new",
        message(field("A", "string"), valid="0-1", flexible="1+"),
        message(field("A", "string", flexibleVersions="1+"), valid="0-1"),
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
        "a version becomes flexible, after it lost its only field",
        message(field("A", "string"), flexible="3+"),
        message(flexible="3+"),
        message(flexible="2+"),
        breaks=True,
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
    _example(
        "an array becomes a nullable struct at its place, inside the struct before it",
        message(field("S", "S", "0+", NUMBER), _nullable_f("[]T"), flexible="none"),
        message(field("S", "S", "0+", NUMBER, _nullable_f("T")), flexible="none"),
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
