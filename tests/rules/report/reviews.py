"""Reports on what a patch does to a small repository, or on a range of the real history."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.kafka import read_kafka
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.engine import check, without_consequences
from wirebook.rules.finding import Category, Finding
from wirebook.rules.report.model import Report, report_of
from wirebook.rules.result import CheckResult, Judged
from wirebook.specs.model import Message, Protocol


def reviewed(against: str = "HEAD", config: Path | None = None) -> Report:
    """The report on the working tree, or on a range, of the repository in the current folder."""
    return report_of(judge(CheckRequest(against=against, config=config)))


def spec(kind: str = "request", name: str = "Foo", key: int = 900, **keys: Any) -> Message:
    """A message of Foo, or of an API of Kafka, whose versions the releases of Kafka are known to
    serve."""
    suffix = kind.title() if kind in ("request", "response") else ""
    top = {
        "type": kind,
        "name": name + suffix,
        "validVersions": "0-2",
        "flexibleVersions": "none",
        "fields": [],
    }
    keyed = {"apiKey": key} if suffix else {}
    return read_kafka(json.dumps({**keyed, **top, **keys}), f"{name}{suffix}.json")


def field(name: str, kind: str = "int32", versions: str = "0+", **keys: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "versions": versions, **keys}


def of(old: list[Message], new: list[Message], *, waived: str | None = None) -> Report:
    """The report on two sides; every finding is waived if there is a reason."""
    sides = Protocol(tuple(old)), Protocol(tuple(new))
    findings = [each for each in check(*sides) if each.category is not Category.SET]
    findings = without_consequences(findings)
    if waived is not None:
        findings = [each._replace(waived=waived) for each in findings]
    return found(*findings, sides=sides)


def found(
    *findings: Finding, sides: tuple[Protocol, Protocol] | None = None, **more: Any
) -> Report:
    """The report on findings and on two sides; without sides, nothing changes."""
    old, new = sides or (Protocol(()), Protocol(()))
    judged = (Judged(old, new, findings=findings),)
    return report_of(CheckResult(findings, "a against b", "1.2.3", 2, projects=judged, **more))
