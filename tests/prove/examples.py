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


NUMBER = field("A", "int32")


SHARED: Spec = {
    "commonStructs": [{"name": "S", "versions": "0+", "fields": [field("F", "uint16", "0-3")]}]
}
SHARED_7: Spec = {
    "commonStructs": [
        {"name": "S", "versions": "0+", "fields": [field("F", "uint16", "0-3", default="7")]}
    ]
}


def _tagged(name: str, kind: str, tag: int) -> Spec:
    return field(name, kind, "0+", taggedVersions="0+", tag=tag)


def _from_1(default: str) -> Spec:
    shared = {
        "name": "S",
        "versions": "0+",
        "fields": [field("F", "uint16", "1+", default=default)],
    }
    return {"commonStructs": [shared]}


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
        "a field is split by versions, and the new one has another default",
        message(field("A", "int64", "1+")),
        message(field("A", "int64", "2+"), field("B", "int64", "1", default="-2")),
        breaks=False,
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
        "a new tagged field",
        message(NUMBER),
        message(NUMBER, field("B", "int8", **TAGGED)),
        breaks=False,
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
        "a new version",
        message(NUMBER),
        message(NUMBER, field("B", "int8", "3+"), valid="0-3"),
        breaks=False,
    ),
    _example(
        "a field in a released version",
        message(NUMBER),
        message(NUMBER, field("B", "int8")),
        breaks=True,
    ),
    _example(
        "a struct around a field, where nothing is flexible",
        message(NUMBER, flexible="none"),
        message(field("G", "G", "0+", NUMBER), flexible="none"),
        breaks=False,
    ),
    _example(
        "a struct around a field",
        message(NUMBER),
        message(field("G", "G", "0+", NUMBER)),
        breaks=True,
    ),
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
        "another default in a struct that is null where it is absent",
        message(field("S", "S", "0", field("A", "int8"), nullableVersions="0", default="null")),
        message(
            field(
                "S", "S", "0", field("A", "int8", default="7"), nullableVersions="0", default="null"
            )
        ),
        breaks=False,
    ),
    _example(
        "two fields of one struct trade places, where nothing is flexible",
        message(field("One", "S"), field("Two", "S"), flexible="none", **SHARED),
        message(field("Two", "S"), field("Three", "S"), flexible="none", **SHARED),
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
        message(
            NUMBER, _tagged("Y", "uuid", 0), field("X", "uint16", "2+", taggedVersions="2+", tag=1)
        ),
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
        "an array of numbers becomes one of structs with another sign, where nothing is flexible",
        message(field("A", "[]int16"), flexible="none"),
        message(field("A", "[]S", "0+", field("B", "uint16")), flexible="none"),
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
        "a withdrawn version comes back under another API key",
        message(_tagged("A", "int32", 0), valid="2", type="response", apiKey=7),
        message(_tagged("A", "int32", 0), valid="1", type="response", apiKey=7),
        message(field("A", "int32", "1"), valid="2", type="response", apiKey=8),
        breaks=False,
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
            (
                message({**_tagged("A", "int8", 0), "default": "7"}),
                message(_tagged("A", "int8", 0)),
            ),
            message(),
            message({**_tagged("A", "int8", 0), "default": "7"}),
        ),
        breaks=True,
    ),
    Example(
        "a tag comes back under another name with the default of one of two releases",
        Case(
            0,
            (
                message({**_tagged("A", "int8", 0), "default": "7"}),
                message(_tagged("A", "int8", 0)),
            ),
            message(),
            message(_tagged("B", "int8", 0)),
        ),
        breaks=True,
    ),
    _example(
        "a field is split by versions under two other names, of which the second has its default",
        message(field("A", "string", "1+", default="word")),
        message(field("B", "string", "2+"), field("C", "string", "1", default="word")),
        breaks=False,
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
                field("P", "T", "0+", NUMBER, _tagged("C", "uuid", 0), nullableVersions="0+"),
                valid="0-1",
            ),
        ),
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
    _example(
        "a field keeps its bytes in a version that becomes flexible, whose tagged section is new",
        message(field("A", "string"), valid="0-1", flexible="1+"),
        message(field("A", "string", flexibleVersions="1+"), valid="0-1"),
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
)
