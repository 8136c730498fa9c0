"""Errors of the check without a byte that breaks: each by name, with the ground for it.

Every one of them is a decision of the rules, not a weakness of the codec: whatever is not named here and does
not break a byte is a false alarm.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.prove.protocols import all_fields, twice
from tests.prove.shapes import KINDS, Spec, element, fields_inside, is_array, present
from tests.prove.truth import Truth
from wirebook.rules.finding import Finding

EXCEPTIONS = {
    "releases-disagree": (
        "A version that was withdrawn comes back as one release had it, and another release had it "
        "otherwise. No spec can serve both."
    ),
    "another-message": (
        "The API key or the side that sends has changed: peers take it for another message and read no field "
        "of it. rules.md makes that the error; the check says, too, what has changed in the fields."
    ),
    "broken-before": (
        "The old side, unreleased, could not exchange the version with a release any more, and the patch "
        "changes in it, without mending that, what no release has, or gives a tag of the released struct in "
        "a place to another field. To rules.md a change of a version that any baseline has is an error, and "
        "to KIP-482 a tag number is never reused."
    ),
    "renamed-unseen": (
        "A tagged field has another name, and no version that a release had is left in which the two could "
        "be seen to be one: to the rules the tag is reused."
    ),
    "renamed-around": (
        "A struct is renamed, or another one takes its place, in the patch that gives one of its tags to "
        "another field; no version with the old one is left. KIP-482: tag numbers must never be reused."
    ),
    "renamed-between": (
        "An absent field reads as another value, and only the old side shows that it is the field of a "
        "release: it gets another name with the patch, or got one before, as the struct around it did."
    ),
    "back-elsewhere": (
        "A tagged field of a release that the old side lacks comes back under its name and another tag. What "
        "peers of the release send of it was lost before, and stays so; to the rules its tag changes."
    ),
    "null-left-out": (
        "Records that are all that a tagged struct has may be null or not: null is their default, and a "
        "struct with nothing but defaults is not sent. To the rules the next field would show it."
    ),
    "names-traded": (
        "A name that one field had is given to another one in the same patch, and each goes on where it was "
        "under the name that it has now. Bytes do not have the name; the check follows it, as rules.md lets "
        "names explain what places do not."
    ),
}

# Those that excuse one rule only. The others say that nothing of the version can be judged by its bytes.
_OF_RULE = {
    "renamed-unseen": "tag-reused",
    "renamed-around": "tag-reused",
    "renamed-between": "default-changed",
    "back-elsewhere": "tag-changed",
}


def refused(new: Spec, rule: str) -> bool:
    """Whether the format refuses a spec for what a rule says, though its bytes are plain: edits do that, too.

    Kafka's generator takes neither a gap in the tags of a struct nor two fields of one name.
    """
    structs = [new["fields"], *(struct["fields"] for struct in new.get("commonStructs", ()))]
    structs += [field["fields"] for _, field in all_fields(new) if field.get("fields")]
    if rule == "tag-gap":
        tags = [sorted(field["tag"] for field in fields if "tag" in field) for fields in structs]
        return any(numbers != list(range(len(numbers))) for numbers in tags)
    return rule == "duplicate-field-name" and any(any(twice(fields)) for fields in structs)


def leave(old: Spec, new: Spec, releases: Sequence[Spec], real: Truth, finding: Finding) -> str | None:
    """The exception that allows an error; None where there is none."""
    for item in real.leaves:
        of_rule = _OF_RULE.get(item.exception, finding.rule) == finding.rule
        if of_rule and (not finding.versions or item.versions & set(finding.versions)):
            return item.exception
    if finding.rule == "nullability-changed" and _left_out_if_null(new, finding.field):
        return "null-left-out"
    # What others have moved around is no more theirs than what has traded its name.
    names = set(finding.field.split("."))
    if finding.rule == "field-moved":
        names = {field["name"] for _, field in all_fields(new)}
    if any(_traded(old, new, releases, name) for name in names):
        return "names-traded"
    return None


def _left_out_if_null(message: Spec, path: str) -> bool:
    """Whether a field is records that nothing stands beside in a tagged struct."""
    fields: list[Spec] = message["fields"]
    around: Spec = {}
    *above, name = path.split(".")
    for each in above:
        around = next((field for field in fields if field["name"] == each), {})
        fields = fields_inside(message, around) or [] if around else []
    return "tag" in around and [(field["name"], field["type"]) for field in fields] == [(name, "records")]


def _traded(old: Spec, new: Spec, releases: Sequence[Spec], name: str) -> bool:
    """Whether a name goes to a field that had another one, on the old side or in a release, while its own
    goes on under another one.
    """
    sides = [[field for _, field in all_fields(side)] for side in (old, new)]
    had = [field for side in (old, *releases) for _, field in all_fields(side)]
    before, after = ([field for field in side if field["name"] == name] for side in sides)
    return (
        bool(before and after)
        and not any(_alike(one, other) for one in before for other in after)
        and any(_alike(one, other) for one in before for other in sides[1] if other["name"] != name)
        and any(_alike(one, other) for one in had for other in after if one["name"] != name)
    )


def _alike(one: Spec, other: Spec) -> bool:
    """Whether two fields of a name may be one: the same kind and tag, and a version of both."""
    kinds = [(KINDS.get(element(item)), is_array(item), item.get("tag")) for item in (one, other)]
    return kinds[0] == kinds[1] and not present(one).meets(present(other)).empty
