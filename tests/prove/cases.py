"""A case: releases, the spec before a patch and after it; what is true of it, and what the check
says."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.prove.edits import edited
from tests.prove.protocols import Builder, all_fields, text_of, twice
from tests.prove.shapes import Spec
from tests.prove.truth import Break, Truth, Unsure, truth
from wirebook import api
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.specs.model import Protocol
from wirebook.specs.reader import read_message


@dataclass(frozen=True)
class Case:
    """A patch from `old` to `new`. Without `releases`, the old side counts as released."""

    seed: int
    releases: tuple[Spec, ...]
    old: Spec
    new: Spec
    edits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Disagreement:
    """Where the check and the bytes differ: a `miss`, a `false alarm`, a spec refused, a crash."""

    kind: str
    what: str
    rule: str = ""

    @property
    def label(self) -> str:
        """The kind, and the rule where there is one."""
        return f"{self.kind} {self.rule}".strip()


def case(seed: int) -> Case:
    """The case of a number: always the same."""
    random = Random(seed)
    builder = Builder(random)
    history = [builder.message()]
    for _ in range(random.choice((1, 2, 2))):
        made, _ = edited(history[-1], history, builder, random.choice((1, 2, 3)), judged=False)
        history.append(made)
    new, names = edited(history[-1], history, builder, random.choice((2, 3, 4)), judged=True)
    # The old side is the last release, an unreleased state after it, or all that there is.
    released = random.choice((history, history, history, history[:-1], []))
    return Case(seed, tuple(released), history[-1], new, names)


def truth_of(given: Case) -> Truth:
    """What the bytes say of a case."""
    return truth(given.old, given.new, given.releases or (given.old,))


def findings_of(given: Case) -> tuple[Finding, ...]:
    """What the check says of a case."""
    specs = [given.old, given.new, *given.releases]
    read = {id(spec): _read(spec) for spec in specs[1:]}
    # The old side is often a release.
    old, new, *releases = (read.get(id(spec)) or _read(spec) for spec in specs)
    return api.check(old, new, released=releases).findings


def _read(spec: Spec) -> Protocol:
    message = read_message(text_of(spec), f"{spec['name']}.json", strict=False)
    return Protocol.of([message])


def disagreements(given: Case) -> list[Disagreement]:
    """Every disagreement of a case."""
    return against(given, truth_of(given))


def against(given: Case, real: Truth) -> list[Disagreement]:
    """Where the check does not say what is true, or gives up."""
    try:
        findings = findings_of(given)
    except Exception as error:
        return [Disagreement("crash", repr(error), type(error).__name__)]
    return compare(given, real, findings)


def compare(given: Case, real: Truth, findings: tuple[Finding, ...]) -> list[Disagreement]:
    """Where findings do not say what is true; what the truth leaves undecided they may say or
    not."""
    errors = [item for item in findings if item.severity is Severity.ERROR]
    wire = [item for item in errors if item.category is Category.WIRE]
    found: list[Disagreement] = []
    for broken in real.breaks:
        if not any(_answers(item, broken) for item in (errors if broken.rules else wire)):
            versions = ",".join(map(str, sorted(broken.versions)))
            rule = " or ".join(sorted(broken.rules))
            found.append(Disagreement("miss", f"{broken.what} (version {versions})", rule))
    for item in wire:
        left = _unfounded(item, real)
        if left is not None:
            found.append(Disagreement("false alarm", f"{item.message} {left}", item.rule))
    for item in errors:
        if item.category is Category.SPEC and not refused(given.new, item.rule):
            found.append(Disagreement("spec refused", item.message, item.rule))
    return found


def _answers(finding: Finding, broken: Break) -> bool:
    """Whether an error says what breaks."""
    if broken.rules:
        is_named = not broken.fields or finding.field.rpartition(".")[2] in broken.fields
        return is_named and finding.rule in (*broken.rules, *broken.of_fields)
    return not finding.versions or broken.versions <= set(finding.versions)


def _unfounded(finding: Finding, real: Truth) -> list[int] | None:
    """The versions of an error that do not break; None where it says nothing wrong."""
    items: list[Break | Unsure] = [*real.breaks, *real.unsure]
    if any(finding.rule in item.rules for item in items):
        return None
    true = {version for item in items for version in item.versions}
    if not finding.versions:
        return None if true else []
    return sorted(set(finding.versions) - true) or None


def refused(new: Spec, rule: str) -> bool:
    """Whether the format refuses a spec for what a rule says, though its bytes are plain: edits do
    that, too.

    Kafka's generator takes neither a gap in the tags of a struct nor two fields of one name.
    """
    structs = [new["fields"], *(struct["fields"] for struct in new.get("commonStructs", ()))]
    structs += [field["fields"] for _, field in all_fields(new) if field.get("fields")]
    if rule == "tag-gap":
        tags = [sorted(field["tag"] for field in fields if "tag" in field) for fields in structs]
        return any(numbers != list(range(len(numbers))) for numbers in tags)
    return rule == "duplicate-name" and any(any(twice(fields)) for fields in structs)
