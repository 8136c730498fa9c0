"""The Finding of a rule, with its severity and category, independent of output formats."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from wirebook.rules.change import digest
from wirebook.rules.proof import Proof
from wirebook.rules.rule import Category, Severity
from wirebook.specs.problems import Place
from wirebook.specs.versions import VersionSet

__all__ = ["Category", "Finding", "FindingIdentity", "Place", "Severity", "sort"]


class Concerned(NamedTuple):
    """A spec that a finding concerns: the name of its message and its path on one side.

    The path is None if the finding has no place in a file.
    """

    name: str
    path: str | None


class FindingIdentity(NamedTuple):
    """What identifies a finding: the rule, what it judged, the versions, the discriminator, and the
    change.

    Wording, severity and places are not part of it. A fingerprint is its hash, a waiver names its
    parts, and findings that base already has are recognised by it.
    """

    rule: str
    message_type: str
    message_name: str
    field: str
    versions: VersionSet
    discriminator: str
    change: str


class Finding(NamedTuple):
    """One cause: what is wrong, where on both sides, in which versions, and what to do instead.

    `message` is a sentence that names the field, both values and who is affected; `fix` describes
    what to do instead. `field` is the path from the top ("" for the message itself); `versions` are
    formatted only where they are printed; `released_in` is the first release in which one of
    them was stable, and `releases` are those that disagree on them: the first with each form of the
    message. `discriminator` distinguishes two findings of one rule on one field; `change` is the
    exact change that it is about ("type: int32 -> int64"; "" for most findings on one side).
    `others` are further specs that it concerns: a selection of findings by file or message
    considers all of `specs`. `proof` has the bytes that an error on the wire is about. `meant` is
    the key that an unknown one resembles. `reached` are the findings on further messages at the
    same place, in a file that several specs share. All strings may contain text of a spec: they are
    untrusted and plain.
    """

    rule: str
    severity: Severity
    category: Category
    message: str
    fix: str
    message_name: str
    message_type: str
    api_key: int | None = None
    field: str = ""
    versions: VersionSet = VersionSet.NONE
    released_in: str | None = None
    location: Place | None = None
    previous: Place | None = None
    discriminator: str = ""
    change: str = ""
    waived: str | None = None
    others: tuple[Concerned, ...] = ()
    reached: tuple["Finding", ...] = ()
    proof: Proof | None = None
    releases: tuple[str, ...] = ()
    meant: str = ""

    @property
    def specs(self) -> tuple[Concerned, ...]:
        """The specs that it concerns, on both sides; those of `location` and `previous` come
        first."""
        paths = dict.fromkeys(
            place.path for place in (self.location, self.previous) if place is not None
        )
        elsewhere = {other.path: other.name for other in self.others}
        own = [Concerned(elsewhere.get(path, self.message_name), path) for path in paths]
        both = tuple(dict.fromkeys((*own, *self.others)))
        return both or (Concerned(self.message_name, None),)

    @property
    def identity(self) -> FindingIdentity:
        """The identity of the finding, used by waivers and the search for repetitions."""
        return FindingIdentity(
            self.rule,
            self.message_type,
            self.message_name,
            self.field,
            self.versions,
            self.discriminator,
            self.change,
        )

    @property
    def fingerprint(self) -> str:
        """The identity as 16 hex digits, which are stable if lines or files move or sentences
        change."""
        parts = (part if isinstance(part, str) else part.text for part in self.identity)
        return digest("\0".join(parts))

    @property
    def is_break(self) -> bool:
        """Whether peers misread each other: an error on the wire, also one that is accepted."""
        return self.severity is Severity.ERROR and self.category is Category.WIRE

    @property
    def waivable(self) -> bool:
        """Whether a waiver can accept it; findings on waivers cannot be waived."""
        return self.rule not in ("stale-waiver", "expired-waiver")

    @property
    def needs_waiver(self) -> bool:
        """Whether to show how to waive it; notes do not need a waiver, because they do not fail a
        check."""
        return self.waivable and self.severity is not Severity.INFO

    def of_message(self) -> dict[str, Any]:
        """The message that it is about, as wirebook/findings/1 has it."""
        return {
            "message_name": self.message_name,
            "message_type": self.message_type,
            "api_key": self.api_key,
            "field": self.field,
            "versions": self.versions.text,
            "released_in": self.released_in,
        }

    def to_json(self) -> dict[str, Any]:
        """The finding in the form of `wirebook check --format json` (wirebook/findings/1)."""
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "category": self.category.value,
            "message": self.message,
            **self.of_message(),
            "subject": self.discriminator,
            "change": self.change,
            "location": self.location.to_json() if self.location else None,
            "previous": self.previous.to_json() if self.previous else None,
            "fix": self.fix,
            "fingerprint": self.fingerprint,
            "proof": self.proof.to_json() if self.proof is not None else None,
            "waived": self.waived,
            **({"releases": list(self.releases)} if self.releases else {}),
            **({"reached": [each.of_message() for each in self.reached]} if self.reached else {}),
        }


def sort(findings: Iterable[Finding]) -> list[Finding]:
    """Worst first, those on the wire before others, and waived ones last; then by file, place and
    rule."""

    def order(finding: Finding) -> tuple[Any, ...]:
        place = finding.location or finding.previous or Place("", 0, 0)
        return (
            finding.waived is not None,
            finding.severity.rank,
            finding.category is not Category.WIRE,
            place.path,
            place.line,
            place.column,
            finding.rule,
            finding.field,
            finding.discriminator,
        )

    return sorted(findings, key=order)
