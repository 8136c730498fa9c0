"""Patches with mistakes, as `check --fix` leaves them: what it wrote, and what is wrong with it.

    python -m tests.rules.authoring.broken_specs --cases 2000

A case is an API with one or two releases and a patch of it: random specs of `tests.prove`, or real ones, with
one to three mistakes. Texts are read without wirebook, and the codec of `tests.prove` judges their bytes.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.prove.edits import EDITS, NotHereError, Workshop, edited
from tests.prove.protocols import Builder, right
from tests.prove.shapes import Spec, stable, valid
from tests.prove.truth import Way, ways
from tests.repositories import FOLDER
from tests.rules.authoring.mistakes import mistaken
from tests.rules.authoring.plain_texts import Writer, comments, leaves, plain
from tests.support import SHARED, history_repo
from wirebook.rules.authoring.fixing import Fixes, proven_fixes, write_fixes
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.result import CheckResult

Texts = Mapping[str, str]
REAL = ("2.4.0", "3.0.0", "3.7.0", "4.0.0", "4.3.0")
REPAIRED = ("tag", "taggedVersions", "versions", "flexibleVersions", "validVersions")
# What only its author can complete: the fix begins it, and the finding stays.
BEGUN = "version-without-note"


class Case(NamedTuple):
    """The files of an API on both sides of a patch and in its releases, by name.

    Without releases, the old side counts as released.
    """

    seed: int
    releases: tuple[Texts, ...]
    old: Texts
    new: Texts
    everything: bool


class Outcome(NamedTuple):
    """What `check --fix` did to a case, and what a second run would do."""

    case: Case
    before: CheckResult
    fixes: Fixes
    texts: Texts
    after: CheckResult
    again: Fixes


def case(seed: int, *, real: bool = False) -> Case:
    """The case of a number: always the same."""
    random = Random(seed)
    history = _real(random) if real else _made(random)
    mistakes = random.choice((1, 1, 2, 3))
    new = dict(history[-1])
    if not real:
        specs, mistakes = _edited(random, {name: plain(text) for name, text in new.items()}, mistakes)
        new = _texts(seed, specs)
    for _ in range(mistakes):
        name = random.choice(sorted(new))
        new[name] = mistaken(new[name], random)
    released = random.choice((history, history, history[:-1], []))
    return Case(seed, tuple(released), history[-1], new, random.randrange(4) == 0)


def _texts(seed: int, specs: Mapping[str, Spec]) -> dict[str, str]:
    """The texts of specs; those of one seed have one style."""
    random = Random(seed)
    return {name: Writer(random).text(spec) for name, spec in sorted(specs.items())}


def _made(random: Random) -> list[Texts]:
    """The releases of a random API."""
    builder = Builder(random)
    specs = [_api(builder)]
    for _ in range(random.choice((0, 1, 1))):
        before = specs[-1]
        grown = {
            name: edited(spec, [spec], builder, random.choice((1, 2)), judged=False)[0]
            for name, spec in before.items()
        }
        specs.append(_alike(grown))
    if random.randrange(3) == 0:
        for each in specs:
            for spec in each.values():
                versions = valid(spec).numbers
                spec["history"] = [{"version": number, "added": f"{number}.0"} for number in versions]
    seed = random.randrange(1 << 30)
    return [_texts(seed, each) for each in specs]


def _api(builder: Builder) -> dict[str, Spec]:
    """A request and a response of the same versions."""
    halves: dict[str, Spec] = {}
    while len(halves) < 2:
        spec = builder.message()
        if spec["type"] != "data":
            halves[f"{spec['name']}.json"] = spec
    return _alike(halves)


def _alike(halves: dict[str, Spec]) -> dict[str, Spec]:
    """Both halves with the versions of the first, as far as that is right."""
    first, *others = halves.values()
    for other in others:
        trial = {
            **other,
            "validVersions": first["validVersions"],
            "flexibleVersions": first["flexibleVersions"],
        }
        if right(trial):
            other |= trial
    return halves


def _edited(random: Random, specs: dict[str, Spec], number: int) -> tuple[dict[str, Spec], int]:
    """Specs with some edits, right or not, and how many mistakes are left to make."""
    builder = Builder(random)
    builder.count = 500
    for _ in range(random.randint(0, number)):
        name = random.choice(sorted(specs))
        trial = deepcopy(specs[name])
        edit = random.choices(list(EDITS), [weight for weight, _ in EDITS.values()])[0]
        try:
            edit(Workshop(trial, [specs[name]], builder))
        except NotHereError:
            continue
        specs[name] = trial
        number -= 1
    return specs, number


def _real(random: Random) -> list[Texts]:
    """An API as up to two releases of Kafka have it."""
    first = random.randrange(len(REAL))
    tags = REAL[first : first + random.choice((1, 2))]
    names = sorted(_released(tags[0]).keys() & _released(tags[-1]).keys())
    name = random.choice([name for name in names if name.endswith("Request.json")])
    both = (name, name.replace("Request", "Response"))
    return [{each: texts[each] for each in both if each in texts} for texts in map(_released, tags)]


@cache
def _released(tag: str) -> Texts:
    command = ["git", "-C", str(history_repo()), "archive", tag, FOLDER]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    found: dict[str, str] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for member in opened:
            file = opened.extractfile(member)
            if file is not None and member.name.endswith(".json"):
                found[Path(member.name).name] = file.read().decode("utf-8")
    return found


def write(texts: Texts, folder: Path) -> None:
    """Write files into a new folder."""
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))


def request_of(given: Case, folder: Path) -> CheckRequest:
    """The check of a case, whose files are written to a folder."""
    sides = {"old": given.old, "new": given.new}
    sides |= {f"{number}.0.0": texts for number, texts in enumerate(given.releases, 1)}
    for side, texts in sides.items():
        write(texts, folder / side)
    return CheckRequest(
        old=str(folder / "old"),
        new=str(folder / "new"),
        released=tuple(str(folder / side) for side in sides if side not in ("old", "new")),
        everything=given.everything,
        cwd=folder,
    )


def fixed(given: Case, folder: Path) -> Outcome:
    """A case after `check --fix`, in a folder that does not exist yet."""
    request = request_of(given, folder)
    before = judge(request).report

    def judged_with(texts: Mapping[str, bytes]) -> Sequence[Finding]:
        return judge(request._replace(texts=texts)).report.ordered

    fixes = proven_fixes(before.ordered, folder / "new", judged_with)
    write_fixes(fixes.files)
    texts = {path.name: path.read_bytes().decode("utf-8") for path in sorted((folder / "new").iterdir())}
    after = judge(request).report
    again = proven_fixes(after.ordered, folder / "new", judged_with)
    return Outcome(given, before, fixes, texts, after, again)


def problems(outcome: Outcome) -> Iterator[str]:
    """What is wrong with what `check --fix` wrote."""
    given = outcome.case
    yield from new_findings(outcome.before, outcome.after)
    if len(outcome.after.unchecked) > len(outcome.before.unchecked):
        yield f"cannot be checked any more: {outcome.after.unchecked}"
    if outcome.again.files:
        yield f"the second run writes: {[item.rule for item in outcome.again.findings]}"
    if outcome.texts.keys() != given.new.keys():
        yield "other files"
    written = {item.path for item in outcome.fixes.files}
    for name, text in given.new.items():
        after = outcome.texts[name]
        if name not in written and after != text:
            yield f"{name} changed without a fix"
        if after != text:
            yield from (f"{name}: {words}" for words in other_changes(text, after))
        yield from (f"{name}: {words}" for words in worse(given, name, text, after))


def new_findings(before: CheckResult, after: CheckResult) -> Iterator[str]:
    """The warnings and errors of a result that an earlier one does not have for these versions, or milder."""
    for finding in after.findings:
        same = [item for item in before.findings if _subject(item) == _subject(finding)]
        known = frozenset(version for item in same for version in item.versions)
        covered = bool(same) and known.issuperset(finding.versions)
        if finding.severity is not Severity.INFO and not covered:
            yield f"new: {finding.rule} on {finding.field} in {finding.versions}: {finding.message}"
        elif same and finding.severity.rank < min(item.severity.rank for item in same):
            yield f"more severe: {finding.rule} on {finding.field}: {finding.message}"


def _subject(finding: Finding) -> tuple[str, ...]:
    return finding.rule, finding.message_type, finding.message_name, finding.field


def other_changes(before: str, after: str) -> Iterator[str]:
    """What a fix changed beside the values of the keys that fixes set, and the entries that they begin."""
    try:
        was, now = plain(before), plain(after)
    except ValueError as error:
        yield f"does not parse: {error}"
        return
    if comments(before) != comments(after):
        yield "other comments"
    masked = [_masked(text) for text in (before, after)]
    added = dict(leaves(now)).keys() - dict(leaves(was)).keys()
    left = iter(masked[1])
    if not all(character in left for character in masked[0]):
        yield "characters are gone"
    if not added and masked[0] != masked[1]:
        yield "another format"
    if "\r\n" in before and "\n" in re.sub("\r\n", "", after):
        yield "other line ends"
    for path, value in leaves(was):
        if dict(leaves(now)).get(path, value) != value and path[-1] not in REPAIRED:
            yield f"{path} changed"
    for path in added:
        if path[0] != "history" and path[-1] != "flexibleVersions":
            yield f"{path} added"


def _masked(text: str) -> str:
    keys = "|".join(REPAIRED)
    return re.sub(rf'("(?:{keys})"\s*:\s*)("(?:[^"\\]|\\.)*"|[^,\s}}\]/"]+)', r"\1_", text)


def worse(given: Case, name: str, before: str, after: str) -> Iterator[str]:
    """The versions of a file in which peers of a release and of the fixed spec misunderstand each other, and
    did not so before the fix, or in fewer places. A peer that gave up before could not see what follows, and
    where releases disagree, a fix can suit one of them only.
    """
    if before == after:
        return
    was, now = plain(before), plain(after)
    releases = [plain(texts[name]) for texts in given.releases or (given.old,) if name in texts]
    for version in sorted({number for release in releases for number in stable(release).numbers}):
        having = [release for release in releases if version in stable(release)]
        first = [_ways(release, was, version) for release in having]
        second = [_ways(release, now, version) for release in having]
        if None in second and None not in first:
            yield f"version {version} is gone"
        elif any(second) and not any(first):
            yield f"version {version}: {second} instead of nothing"
        elif len(having) == 1 and first[0] and second[0] and all(way.place for way in first[0]):
            more = second[0] - first[0]
            if more:
                yield f"version {version}: also {set(more)}"


def _ways(release: Spec, spec: Spec, version: int) -> frozenset[Way] | None:
    """How peers disagree; None if the spec has no such version, or nothing that peers could use."""
    try:
        if version not in valid(spec):
            return None
        return frozenset(ways(release, spec, version))
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        return None


class Figures(NamedTuple):
    """What became of the findings of some cases."""

    cases: int
    findings: int
    repairable: Counter[str]
    applied: Counter[str]
    refused: Counter[str]
    unreadable: int
    wrong: dict[int, list[str]]


def figures(cases: Iterable[Case]) -> Figures:
    """Fix cases, and count what became of them."""
    total = found = unreadable = 0
    repairable, applied, refused = Counter[str](), Counter[str](), Counter[str]()
    wrong: dict[int, list[str]] = {}
    for given in cases:
        with tempfile.TemporaryDirectory() as folder:
            outcome = fixed(given, Path(folder) / "case")
        total += 1
        found += len(outcome.before.findings)
        unreadable += bool(outcome.before.unchecked)
        repairable.update(item.rule for item in outcome.before.findings if item.repairs)
        applied.update(item.rule for item in outcome.fixes.findings)
        refused.update(item.rule for item, _ in outcome.fixes.refused)
        words = list(problems(outcome))
        if words:
            wrong[given.seed] = words
    return Figures(total, found, repairable, applied, refused, unreadable, wrong)


def main() -> int:
    """Fix many cases; prints counts by rule, and what is wrong, and returns 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m tests.rules.authoring.broken_specs", description=__doc__)
    parser.add_argument("--cases", type=int, default=2000, help="how many; default: 2000")
    parser.add_argument("--first", type=int, default=0, help="the number of the first; default: 0")
    options = parser.parse_args()
    begun = time.monotonic()
    seeds = range(options.first, options.first + options.cases)
    result = figures(case(seed, real=SHARED is not None and seed % 3 == 0) for seed in seeds)
    for seed, words in result.wrong.items():
        print(f"case {seed}:", *words, sep="\n  ")
    seconds = time.monotonic() - begun
    print(f"{result.cases} cases in {seconds:.0f} seconds, {result.unreadable} of which cannot be checked")
    print(f"{result.findings} findings; fixes:")
    for rule, count in sorted(result.repairable.items()):
        print(f"  {rule}: {count}, {result.applied[rule]} applied, {result.refused[rule]} refused")
    print(f"{len(result.wrong)} cases are wrong")
    return 1 if result.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
