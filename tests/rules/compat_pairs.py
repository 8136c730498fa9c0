"""Pairs of specs, and how version 1 of them differs: a rule, and the paths on both sides."""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]


def field(name: str, kind: str = "int32", **keys: Any) -> Spec:
    return {"name": name, "type": kind, "versions": "0+", **keys}


def tagged(name: str, tag: int, kind: str = "int32", **keys: Any) -> Spec:
    return field(name, kind, **{"taggedVersions": "0+", "tag": tag, **keys})


X, Y = field("X"), field("Y")


S = field("S", "S0", fields=[field("A"), field("B", "string")])


PAIRS: list[tuple[list[Spec], list[Spec], list[str]]] = [
    ([X], [field("Z")], []),
    ([X], [field("X", "int64")], ["type-changed X X"]),
    ([X, Y], [field("X", "int64"), field("Y", "string")], ["type-changed X X", "type-changed Y Y"]),
    (
        [X, Y],
        [field("X", "uint32"), field("Y", "string")],
        ["type-changed X X", "type-changed Y Y"],
    ),
    ([X, Y], [Y, X], ["field-moved Y Y"]),
    ([X], [X, Y], ["field-added-to-released-version Y Y"]),
    ([field("X", "string")], [field("X", "bytes")], ["type-changed X X"]),
    ([field("X", "bytes")], [field("X", "records")], []),
    (
        [field("X", "string")],
        [field("X", "string", nullableVersions="0+")],
        ["nullability-changed X X"],
    ),
    (
        [field("X", "string", nullableVersions="1+")],
        [field("X", "string")],
        ["nullability-changed X X"],
    ),
    ([field("X", "[]int32")], [field("X", "[]int64")], ["type-changed X X"]),
    # What follows an array or a nullable struct is read alike if it is empty or null.
    (
        [field("X", "[]int32"), Y],
        [field("X", "[]int64"), field("Y", "string")],
        ["type-changed X X", "type-changed Y Y"],
    ),
    (
        [field("S", "S0", nullableVersions="0+", fields=[X]), Y],
        [
            field("S", "S0", nullableVersions="0+", fields=[field("X", "int64")]),
            field("Y", "string"),
        ],
        ["type-changed S.X S.X", "type-changed Y Y"],
    ),
    # A name that is a struct on one side, and a tagged field on the other one.
    (
        [S],
        [field("T", "T0", fields=S["fields"]), tagged("S", 0)],
        ["field-added-to-released-version T T", "tagging-changed S S"],
    ),
    (
        [field("A"), tagged("S", 0)],
        [field("S", "S0", fields=[field("A")])],
        ["tagging-changed S S"],
    ),
    (
        [field("L", "uint32", versions="2+", default="1")],
        [field("L", versions="2+")],
        ["default-changed L L"],
    ),
    (
        [field("L", "uint32", versions="2+", default="1")],
        [field("L", versions="2+", default="1")],
        [],
    ),
    ([field("X", "[]int32")], [field("X", "[]S0", fields=[field("N")])], ["type-changed X X"]),
    (
        [S],
        [field("S", "S0", nullableVersions="0+", fields=S["fields"])],
        ["nullability-changed S S"],
    ),
    ([S], [field("T", "T0", fields=[field("A"), field("B", "bytes")])], ["type-changed S.B T.B"]),
    (
        [S],
        [field("T", "T0", fields=[field("B"), field("A", "string")])],
        [],
    ),
    # A struct inside a renamed one has its name there, whatever else is in it.
    (
        [field("S", "S0", fields=[field("G", "G0", fields=[X, Y]), field("H")])],
        [field("T", "T0", fields=[field("G", "G0", fields=[Y, X, field("H")])])],
        ["field-removed-from-released-version S S", "field-added-to-released-version T T"],
    ),
    # Tags.
    ([tagged("T", 0)], [], []),
    ([tagged("T", 0)], [tagged("U", 0)], ["tag-reused T U"]),
    ([tagged("T", 0)], [tagged("T", 0, "int64")], ["type-changed T T"]),
    ([tagged("T", 0)], [tagged("T", 1)], ["tag-changed T T"]),
    (
        [tagged("T", 0)],
        [tagged("T", 0, taggedVersions="2+", versions="2+")],
        ["field-versions-changed T T"],
    ),
    # A struct without fields has one value, which a writer may send; another value than the
    # default, others.
    (
        [tagged("T", 0, "S0", fields=[])],
        [tagged("T", 0, "S0", fields=[], taggedVersions="2+", versions="2+")],
        ["field-versions-changed T T"],
    ),
    (
        [tagged("T", 0, "float64", default="1.5")],
        [tagged("T", 0, "float64", taggedVersions="2+", versions="2+")],
        ["field-versions-changed T T"],
    ),
    (
        [tagged("T", 0, "bool", default="true")],
        [tagged("T", 0, "bool", taggedVersions="2+", versions="2+")],
        ["field-versions-changed T T"],
    ),
    ([], [tagged("T", 0)], []),
    ([tagged("T", 0)], [field("T", versions="2+")], ["field-versions-changed T T"]),
    # A struct without fields has one value, which a reader has without the bytes.
    ([tagged("T", 0, "S0", fields=[])], [field("T", "S0", versions="2+", fields=[])], []),
    (
        [tagged("T", 0, "S0", fields=[])],
        [field("T", "S0", versions="2+", fields=[], nullableVersions="2+", default="null")],
        ["field-versions-changed T T"],
    ),
    (
        [tagged("T", 0, "S0", fields=[], nullableVersions="0+")],
        [field("T", "S0", versions="2+", fields=[])],
        ["field-versions-changed T T"],
    ),
    (
        [tagged("T", 0, "[]S0", fields=[])],
        [field("T", "[]S0", versions="2+", fields=[])],
        ["field-versions-changed T T"],
    ),
    (
        [tagged("T", 0, "S0", fields=[field("G", "G0", fields=[], nullableVersions="0+")])],
        [field("T", "S0", versions="2+", fields=[field("G", "G0", fields=[], versions="2+")])],
        ["field-versions-changed T T"],
    ),
    ([tagged("T", 0)], [tagged("T", 0, default="1")], ["default-changed T T"]),
    (
        [tagged("T", 0, "string")],
        [tagged("T", 0, "string", nullableVersions="0+")],
        ["nullability-changed T T"],
    ),
    # A writer may send a null although it is the default.
    (
        [tagged("T", 0, "string", default="null", nullableVersions="2+")],
        [tagged("T", 0, "string", default="null", nullableVersions="0+")],
        ["nullability-changed T T"],
    ),
    (
        [tagged("T", 0, "S0", fields=[field("A")])],
        [tagged("U", 0, "U0", fields=[field("C", default="7")])],
        ["tag-reused T U", "default-changed T.A U.C"],
    ),
    # Of a struct inside a tag, the end is misread; what is before has a default.
    (
        [tagged("T", 0, "S0", fields=[field("A"), field("G", "G0", fields=[X])])],
        [tagged("T", 0, "S0", fields=[field("A", default="7"), X])],
        ["field-removed-from-released-version T.G T.G", "default-changed T.A T.A"],
    ),
    (
        [tagged("T", 0, "S0", fields=[field("G", "G0", fields=[X], nullableVersions="0+")])],
        [
            tagged(
                "T",
                0,
                "S0",
                fields=[field("G", "G0", fields=[field("X", default="7")], nullableVersions="0+")],
            )
        ],
        ["default-changed T.G.X T.G.X"],
    ),
    # In structs of other names.
    (
        [field("S", "[]S0", fields=[field("A", "string"), field("B")])],
        [
            field(
                "T",
                "[]T0",
                fields=[field("A", "string", nullableVersions="0+"), field("B", "uint32")],
            )
        ],
        ["nullability-changed S.A T.A", "type-changed S.B T.B"],
    ),
    (
        [field("S", "[]S0", fields=[field("G", "G0", fields=[X]), field("H", "H0", fields=[Y])])],
        [field("T", "[]T0", fields=[field("H", "H0", fields=[X]), field("G", "G0", fields=[Y])])],
        ["field-moved S.H T.H"],
    ),
    (
        [
            tagged(
                "S",
                0,
                "S0",
                fields=[X, tagged("Y", 0), tagged("Z", 1, versions="2+", taggedVersions="2+")],
            )
        ],
        [
            tagged(
                "T",
                0,
                "T0",
                fields=[X, tagged("Y", 0, versions="2+", taggedVersions="2+"), tagged("Z", 1)],
            )
        ],
        ["tag-reused S T", "field-versions-changed S.Y T.Y", "field-versions-changed S.Z T.Z"],
    ),
    # A tag that has a struct on one side only is misread as a whole, whatever the struct begins
    # with.
    ([tagged("T", 0)], [tagged("T", 0, "S0", fields=[field("A")])], ["type-changed T T"]),
    (
        [tagged("T", 0, "[]int32")],
        [tagged("T", 0, "S0", fields=[field("A", "[]int64")])],
        ["type-changed T T"],
    ),
    (
        [tagged("T", 0)],
        [tagged("T", 0, "S0", fields=[field("G", "G0", fields=[X], nullableVersions="0+")])],
        ["type-changed T T"],
    ),
    (
        [tagged("T", 0, "S0", fields=[field("A")], nullableVersions="0+", default="null")],
        [tagged("T", 0, "S0", fields=[field("A")])],
        ["nullability-changed T T"],
    ),
    # Fields that the version lacks.
    (
        [field("L", versions="2+")],
        [field("L", versions="2+", default="1")],
        ["default-changed L L"],
    ),
    ([field("L", versions="2+")], [field("M", versions="2+", default="1")], []),
    ([field("L", versions="2+")], [field("L", "string", versions="2+", default="a")], []),
    ([field("L", versions="9+")], [field("L", versions="9+", default="1")], []),
    (
        [field("L", "S0", versions="2+", fields=[field("A", versions="2+")])],
        [field("L", "S0", versions="2+", fields=[field("A", versions="2+", default="1")])],
        ["default-changed L.A L.A"],
    ),
    # A field that is split at a version goes on in its place.
    ([X], [field("X", versions="0-1"), field("Z", versions="2+")], []),
    ([X], [field("X", versions="2+"), field("Z", versions="0-1")], []),
]
