"""Errors of the check without a byte that breaks: each by name, with the ground for it.

Every one of them is a decision of the rules, not a weakness of the codec: whatever is not named here and does
not break a byte is a false alarm.
"""

from __future__ import annotations

from tests.prove.protocols import all_fields
from tests.prove.shapes import KINDS, Spec, element, is_array, present
from tests.prove.truth import Truth
from wirebook.rules.finding import Finding

EXCEPTIONS = {
    "broken-before": (
        "The old side, unreleased, could not exchange the version with a release any more, and the patch "
        "changes it without mending that. Whose fault it is, bytes cannot say; the check says it again."
    ),
    "releases-disagree": (
        "A version that was withdrawn comes back as one release had it, and another release had it "
        "otherwise. No spec can serve both."
    ),
    "another-field": (
        "A field has a place with neither the name nor the type of the one that was there, although both are "
        "read alike (int32 and uint32). Nothing says that it is the same field under a new name: to the "
        "rules the place, or the tag, is reused."
    ),
    "one-field-two-names": (
        "To go by places a field becomes one field in some versions and another one in others. The check "
        "follows one of the two names and finds that the other has moved."
    ),
    "renamed-unseen": (
        "A tagged field has another name, and no version that a release had is left in which the two could "
        "be seen to be one: to the rules the tag is reused."
    ),
    "names-traded": (
        "A name that one field had is given to another one in the same patch: before and after, the fields "
        "of the name have neither tag nor type nor a version in common. Bytes do not have the name; the "
        "check follows it, as it follows a field that keeps its name and changes all else."
    ),
}


def leave(old: Spec, new: Spec, real: Truth, finding: Finding) -> str | None:
    """The exception that allows an error; None where there is none."""
    for item in real.leaves:
        if not finding.versions or item.versions & set(finding.versions):
            return item.exception
    # What others have moved around is no more theirs than what has traded its name.
    names = set(finding.field.split("."))
    if finding.rule == "field-moved":
        names = {field["name"] for _, field in all_fields(new)}
    if any(_traded(old, new, name) for name in names):
        return "names-traded"
    return None


def _traded(old: Spec, new: Spec, name: str) -> bool:
    """Whether the fields of a name on both sides have nothing in common on the wire."""
    before, after = ([f for _, f in all_fields(side) if f["name"] == name] for side in (old, new))
    return bool(before and after) and not any(_alike(one, other) for one in before for other in after)


def _alike(one: Spec, other: Spec) -> bool:
    """Whether two fields of a name may be one: the same kind and tag, and a version of both."""
    kinds = [(KINDS.get(element(item)), is_array(item), item.get("tag")) for item in (one, other)]
    return kinds[0] == kinds[1] and not present(one).meets(present(other)).empty
