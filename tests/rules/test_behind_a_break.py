"""Edits behind a break that was accepted before: no byte shows them to peers of the release; they count."""

from __future__ import annotations

from typing import Any

import pytest

from tests.prove.cases import Case, findings_of
from tests.prove.examples import field, message
from tests.rules.restoring import protocol
from wirebook.rules.engine import check
from wirebook.rules.released import Baseline
from wirebook.rules.severity import Severity
from wirebook.specs.model import Protocol

Fields = list[dict[str, Any]]
A, B = field("A", "int8"), field("B", "int16")
C, D = field("C", "uuid"), field("D", "uuid")
X = field("X", "string")
G = field("G", "[]uuid")
TAGGED = {"taggedVersions": "0+", "tag": 0}


def errors(
    release: Fields, old: Fields, new: Fields, *others: Fields, flexible: str = "0+"
) -> list[tuple[str, str]]:
    """The rule and the field of each error of a patch, whose old side no release has."""
    sides = [protocol(*fields, flexibleVersions=flexible) for fields in (old, new, release, *others)]
    baselines = [Baseline(f"1.{number}", each) for number, each in enumerate(sides[2:])]
    found = check(Protocol(tuple(sides[0])), Protocol(tuple(sides[1])), baselines)
    return [(each.rule, each.field) for each in found if each.category == "wire"]


@pytest.mark.parametrize(
    ("release", "old", "new", "moved"),
    [
        pytest.param([A, B, C, D], [B, A, C, D], [B, A, D, C], "D", id="others than before"),
        pytest.param([A, B, C, D], [B, A, C, D], [A, B, D, C], "D", id="others come back"),
        pytest.param([A, B, X], [B, A], [A, B], "", id="the order of the release"),
        pytest.param([A, B], [X, G, B, A], [field("X", "int64"), G, B, A], "", id="what had moved before"),
        pytest.param([A, C, D, X], [A, C, D], [C, D, A], "A", id="one of three"),
        pytest.param([C, D], [X, C, D], [X, D, C], "D", id="behind a new field"),
        pytest.param([C], [X, D, C], [X, C, D], "", id="only what no release has"),
    ],
)
def test_what_a_patch_moves(release: Fields, old: Fields, new: Fields, moved: str) -> None:
    found = errors(release, old, new)
    assert found == [("field-moved", name) for name in moved]


@pytest.mark.parametrize(
    ("kind", "more"),
    [("S", TAGGED), ("[]S", {}), ("S", {"nullableVersions": "0+"}), ("S", {}), ("[]S", TAGGED)],
)
def test_what_a_patch_moves_inside_a_struct(kind: str, more: dict[str, Any]) -> None:
    def sides(*inside: dict[str, Any]) -> Fields:
        return [field("S", kind, "0+", *inside, **more)]

    (found,) = errors(sides(C, D), sides(X, C, D), sides(X, D, C))
    assert found == ("field-moved", "S.D")
    assert not errors(sides(C, D), sides(X, D, C), sides(X, C, D))


@pytest.mark.parametrize(
    ("kind", "more"),
    [("S", TAGGED), ("[]S", {}), ("S", {"nullableVersions": "0+"}), ("S", {}), ("[]S", TAGGED)],
)
def test_what_replaces_a_field_that_only_the_old_side_has(kind: str, more: dict[str, Any]) -> None:
    """Inside a struct of any form, it is as new to peers of the release as what it replaces."""

    def sides(*inside: dict[str, Any]) -> Fields:
        return [field("S", kind, "0+", *inside, **more)]

    assert not errors(sides(A), sides(A, X), sides(A, G))
    assert not errors(sides(X), sides(A), sides(G))
    added = [("field-added-to-released-version", "S.C")]
    assert errors(sides(A), sides(A, X), sides(A, G, C)) == added


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([B, field("S", "S", "0+", A)], [field("S", "S", "0+", A), B], id="moved"),
        pytest.param(
            [field("S", "S", "0+", A, **TAGGED)],
            [field("S", "S", "0+", A, **TAGGED | {"tag": 1})],
            id="another tag",
        ),
        pytest.param([field("S", "S", "0+", A, **TAGGED)], [field("S", "S", "0+", A)], id="untagged"),
        pytest.param([field("S", "[]S", "0+", A)], [field("S", "S", "0+", A)], id="no array"),
        pytest.param(
            [field("S", "S", "0+", A)],
            [field("S", "S", "0+", A, nullableVersions="0+")],
            id="nullable",
        ),
    ],
)
def test_what_a_patch_changes_in_a_field_that_was_broken(before: Fields, after: Fields) -> None:
    """Breaking a version twice is never better than breaking it once."""

    def patched(fields: Fields, *inside: dict[str, Any]) -> Fields:
        return [X, *(each | {"fields": [*inside]} if "fields" in each else each for each in fields)]

    old = patched(after, A)
    assert errors(patched(before, A)[1:], old, patched(after, A, C)) == [
        ("field-added-to-released-version", "S.C")
    ]
    assert errors(patched(before, A)[1:], old, patched(after, field("A", "int64"))) == [
        ("type-changed", "S.A")
    ]
    # What the release does not have is free to change.
    assert not errors(patched(before, A)[1:], patched(after, A, C), patched(after, A, D))


@pytest.mark.parametrize("kinds", [("S", "T"), ("T", "S")])
def test_names_that_structs_exchange(kinds: tuple[str, str]) -> None:
    old = [X, A, _s("P", C, kind="S"), _s("Q", B, kind="T")]
    new = [X, A, _s("Q", C, kind=kinds[0]), _s("P", B, kind=kinds[1])]
    expected = [("field-moved", "Q"), ("field-moved", "P")]
    assert errors(old[1:], old, new, flexible="none") == expected


@pytest.mark.parametrize("kinds", [("S", "T"), ("T", "S")])
def test_names_that_structs_had_exchanged_before(kinds: tuple[str, str]) -> None:
    """The names of structs that end without a byte are on both sides; the patch only replaces a field."""
    release = [A, _s("P", C, kind="S"), _s("Q", B, kind="T")]
    exchanged = [_s("Q", C, kind=kinds[0]), _s("P", B, kind=kinds[1])]
    old, new = [X, A, *exchanged], [G, A, *exchanged]
    assert not errors(release, old, new, flexible="none")


def test_what_brings_back_one_release_is_new_to_none() -> None:
    assert errors([A, B, C], [X, A], [A, X], [A, X]) == [("layout-restored", "")]
    assert errors([A, B, C], [X, A, B], [X, A])


def _s(name: str, *inside: dict[str, Any], kind: str = "S") -> dict[str, Any]:
    return field(name, kind, "0+", *inside)


def _later(name: str) -> dict[str, Any]:
    return field(name, "int32", "1+", taggedVersions="1+", tag=0)


def _tag(default: str) -> dict[str, Any]:
    return field("T", "int32", "0+", default=default, **TAGGED)


def _inside_a_tag(default: str, *others: dict[str, Any]) -> dict[str, Any]:
    return field("S", "S", "0+", field("T", "int32", "0+", default=default), *others, **TAGGED)


def _struct(*inside: dict[str, Any]) -> dict[str, Any]:
    return field("S", "[]S", "0+", *inside)


# In version 0, another field is in the place of the first one; that of a release has its tag.
UNTAGGED = field("T", "[]int32", "0+", taggedVersions="1+", tag=0)


@pytest.mark.parametrize(
    ("release", "old", "new", "expected"),
    [
        pytest.param(
            [A, C],
            [X, A, C],
            [X, C],
            [("field-removed-from-released-version", "A")],
            id="a field of the release is removed",
        ),
        pytest.param(
            [C, _s("R", A)],
            [X, _s("S", field("Z", "int8"))],
            [X, _s("S", field("Z", "int64"))],
            [("type-changed", "S.Z")],
            id="a field and the struct around it were renamed",
        ),
        pytest.param(
            [C, _s("R", A), B],
            [X, _s("S", field("Z", "int8")), _s("T", field("Y", "int16"))],
            [X, _s("S", field("Z", "int64")), _s("T", field("Y", "int16"))],
            [("type-changed", "S.Z")],
            id="behind it, another field is in a struct now",
        ),
        pytest.param(
            [A, B, X],
            [C, A, B, X],
            [field("C", "int64"), B, X],
            [("field-removed-from-released-version", "A")],
            id="beside what no release has",
        ),
        pytest.param(
            [C, _inside_a_tag("1")],
            [X, _inside_a_tag("2")],
            [X, _inside_a_tag("3", B)],
            [("field-added-to-released-version", "S.B")],
            id="beside a default that had changed before",
        ),
        pytest.param(
            [C],
            [X],
            [field("Y", "string"), D],
            [("field-added-to-released-version", "D")],
            id="one is replaced, another one added",
        ),
        pytest.param(
            [A],
            [X, A],
            [A, field("Y", "string")],
            [("field-added-to-released-version", "Y")],
            id="what is not of the release moves",
        ),
        pytest.param(
            [_s("S", field("T", "int32", "0+", **TAGGED))],
            [_s("R", X, field("T", "int32", "0+", **TAGGED))],
            [_s("R", X, _later("T"))],
            [("field-versions-changed", "R.T")],
            id="a tag is withdrawn inside a struct that was renamed",
        ),
        pytest.param(
            [A],
            [X, field("Y", "int8", "0+", **TAGGED)],
            [X, field("Y", "int8")],
            [("tagging-changed", "Y")],
            id="a tag that peers skip is no longer one",
        ),
        pytest.param(
            [_s("S", A)],
            [X, _s("S", field("A", "int64"))],
            [X, _s("S", field("A", "int64")) | {"nullableVersions": "0+"}],
            [("nullability-changed", "S")],
            id="around what was broken",
        ),
        pytest.param(
            [field("T", "[]int32", "0+", **TAGGED), G],
            [UNTAGGED, G],
            [field("H", "[]uuid"), UNTAGGED],
            [],
            id="a field is renamed and is first",
        ),
        pytest.param(
            [field("F", "[]int16")],
            [field("F", "[]int64")],
            [field("F", "[]S", "0+", field("I", "[]int64"))],
            [],
            id="elements that were broken",
        ),
        pytest.param(
            [field("F", "[]bytes")],
            [field("F", "uint32")],
            [field("F", "bool")],
            [],
            id="another field in its place",
        ),
        pytest.param([C], [X], [X, C], [], id="a field comes back behind another one"),
        pytest.param(
            [A, C],
            [X, field("E", "uuid")],
            [X, field("E", "uuid"), C],
            [],
            id="a field comes back beside one in its place",
        ),
        pytest.param(
            [A, C],
            [A, X],
            [field("X", "int8"), field("Y", "string")],
            [],
            id="names that the release does not have",
        ),
        pytest.param(
            [A], [X, _s("S", A)], [X, _s("S", A, C)], [], id="inside a struct that the release does not have"
        ),
        pytest.param(
            [field("T", "string", taggedVersions="1+", tag=0)],
            [field("Y", "string")],
            [field("Y", "string", nullableVersions="1+")],
            [],
            id="a field in line in the version in which that in its place has a tag",
        ),
        pytest.param(
            [C],
            [X, _s("S", D)],
            [X, _s("S", field("D", "int8"))],
            [],
            id="inside a struct that is in the place of a field",
        ),
        pytest.param(
            [field("S", "S", "0+", X, **TAGGED)],
            [field("S", "S", "0+", A, **TAGGED)],
            [field("S", "S", "0+", field("Y", "[]string"), **TAGGED)],
            [],
            id="inside a tag, in the place of a field of another type than in the release",
        ),
        pytest.param([A], [X, A], [X, A, field("Y", "int8", "0+", **TAGGED)], [], id="a new tag"),
        pytest.param(
            [_tag("0")],
            [X, _tag("0"), field("Y", "[]uuid", taggedVersions="0+", tag=1)],
            [X, _tag("0") | {"tag": 1}],
            [("tag-changed", "T")],
            id="the tag of what the release does not have",
        ),
        pytest.param(
            [_tag("0"), _tag("0") | {"name": "U", "tag": 1}],
            [X, _tag("0"), _tag("0") | {"name": "Y", "tag": 1}],
            [X, _tag("0") | {"tag": 1}],
            [("tag-changed", "T"), ("tag-reused", "T")],
            id="the tag of what the release has under another name",
        ),
        pytest.param(
            [_tag("0"), _tag("0") | {"name": "U", "tag": 1}],
            [X, _tag("0"), _tag("0") | {"name": "U", "tag": 1}],
            [A, X, _tag("0") | {"tag": 1}, _tag("0") | {"name": "U"}],
            [("field-added-to-released-version", "A"), ("tag-changed", "T"), ("tag-changed", "U")],
            id="two tags are exchanged behind a new field",
        ),
        pytest.param(
            [A, _tag("0")], [X, A], [X, A | {"about": "A number."}], [], id="a tag that was removed"
        ),
        pytest.param(
            [A, _tag("0")],
            [X, A, _tag("0")],
            [X, A, _tag("1")],
            [("default-changed", "T")],
            id="the default of a tag",
        ),
        pytest.param(
            [A, _tag("0")], [X, A, _tag("1")], [X, A, _tag("2")], [], id="a default that was changed"
        ),
        pytest.param(
            [_struct(_tag("0"))],
            [_struct(X, _tag("0"))],
            [_struct(X, field("T", "T", "0+", A, **TAGGED))],
            [("type-changed", "S.T")],
            id="a tag holds a struct",
        ),
        pytest.param(
            [_struct(_tag("0"))],
            [_struct(X, field("T", "T", "0+", A, **TAGGED))],
            [_struct(X, field("T", "T", "0+", A, C, **TAGGED))],
            [],
            id="a tag held a struct already",
        ),
        pytest.param(
            [field("Q", "bool")],
            [X, field("Q", "bool")],
            [field("R", "bool"), field("Y", "string")],
            [("field-moved", "R")],
            id="names and order change",
        ),
        pytest.param(
            [field("F", "[]int16")],
            [field("F", "[]int64")],
            [field("F", "[]uuid")],
            [],
            id="elements that were broken get another width",
        ),
        pytest.param(
            [field("F", "[]int32")],
            [field("Y", "[]string"), field("F", "[]int32")],
            [field("H", "[]int32"), field("Y", "[]string")],
            [],
            id="an array is renamed and is first",
        ),
        pytest.param(
            [A, field("F", "string")],
            [X, A, field("F", "string")],
            [X, A, field("F", "string", nullableVersions="0+")],
            [("nullability-changed", "F")],
            id="a null",
        ),
        pytest.param(
            [C, field("F", "int64"), A],
            [X, C, field("F", "int64"), A],
            [X, field("E", "uuid"), field("N", "int32"), field("G", "int64"), A],
            [("field-added-to-released-version", "N")],
            id="renamed around a new field",
        ),
    ],
)
def test_what_a_patch_does_to_a_release_by_itself(
    release: Fields, old: Fields, new: Fields, expected: list[tuple[str, str]]
) -> None:
    assert errors(release, old, new) == expected


def test_a_break_that_moves_on_is_a_break_again() -> None:
    """Peers of the release read the first field again, and misread what takes the place of the next one."""
    added = field("Y", "int8")
    for new in ([A, added, B], [added, A, B]):
        assert errors([A, B], [X, A, B], new) == [("field-added-to-released-version", "Y")]


def test_only_what_a_patch_does_to_the_release_is_named() -> None:
    """An edit of what no release has, or has in another form, breaks nothing that is not broken yet."""
    changed = field("C", "int64")
    release, old, new = [C, A], [X, C, A, G], [X, changed, A, field("G", "int64")]
    assert errors(release, old, new) == [("type-changed", "C")]


def test_a_version_that_leaves_the_flexible_ones_is_one_edit_behind_a_break() -> None:
    release, old, new = (
        message(field("L", kind), valid="0", flexible=flexible)
        for kind, flexible in (("[]int16", "0+"), ("[]uint32", "0+"), ("[]uint32", "1+"))
    )
    found = findings_of(Case(0, (release,), old, new))
    assert [each.rule for each in found if each.severity is Severity.ERROR] == ["flexible-versions-changed"]


def test_a_tagged_field_that_no_release_has_is_free_beside_a_break() -> None:
    released = [A, X]
    former, tagged = _tag("3"), {**_tag("3"), "type": "bool", "default": "false"}
    old, new = [*released, former], [field("A", "int64"), X, tagged]
    assert errors(released, old, new) == [("type-changed", "A")]


def test_the_bytes_are_those_of_a_release_unless_it_lacks_one_of_their_fields() -> None:
    def peers(release: Fields, old: Fields, new: Fields) -> set[str]:
        baseline = Baseline("1.0", protocol(*release))
        proofs = [each.proof for each in check(protocol(*old), protocol(*new), [baseline])]
        return {peer for each in proofs if each is not None for peer in (each.writer, each.reader)}

    new_peer = "a peer with the new spec"
    assert peers([A], [A, _tag("3")], [B, _tag("3")]) == {"a peer of 1.0", new_peer}
    assert peers([field("Z", "int8"), B], [A, B], [A, X]) == {"a peer with the old spec", new_peer}


def test_the_bytes_of_a_hidden_break_are_those_of_the_old_side() -> None:
    release, old, new = protocol(A, B), protocol(X, A, B), protocol(X, A, field("B", "int64"))
    (hidden,) = (each for each in check(old, new, [Baseline("1.0", release)]) if each.proof is not None)
    assert hidden.proof is not None
    assert (hidden.released_in, hidden.proof.writer) == ("1.0", "a peer with the old spec")
    (plain,) = check(release, protocol(A, field("B", "int64")), [Baseline("1.0", release)])
    assert plain.proof is not None
    assert plain.proof.writer == "a peer of 1.0"


def test_a_version_becomes_flexible_as_a_field_is_removed() -> None:
    """The end of the message is in the place of no field. A message with a header is broken by that, too."""

    def side(flexible: str, *fields: dict[str, Any]) -> Protocol:
        return protocol(*fields, type="data", apiKey=None, flexibleVersions=flexible)

    for fields in ((), (A,), (C, A)):
        release = [Baseline("1.0", side("none", *fields))]
        for more in ((*fields, X), (X, *fields)):
            (broken,) = check(side("none", *more), side("0+", *fields), release)
            assert (broken.rule, broken.severity, broken.field) == ("flexible-versions-changed", "error", "")


def test_a_sentence_says_what_readers_do_with_a_value_that_they_cannot_have() -> None:
    def sentences(*sides: Fields) -> str:
        old, new = (protocol(*fields) for fields in sides)
        found = check(old, new, [Baseline("1.0", old)])
        return " ".join(each.message for each in found if each.category == "wire")

    untagged = field("T", "int32", "1+")
    lost = sentences([A, _tag("0")], [A, untagged])
    assert "a reader without tag 0 skips the value" in lost
    assert "is not valid" not in lost
    assert "which lack it" not in sentences([A, field("T", "int32", default="-1")], [A, _tag("0")])
