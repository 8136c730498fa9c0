"""Validators of what commands print as JSON."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from tests.support import ROOT
from wirebook.docgen.schemas import SCHEMAS


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((ROOT / SCHEMAS[name]).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
