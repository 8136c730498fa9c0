"""Validators of what commands print as JSON."""

from __future__ import annotations

from jsonschema import Draft202012Validator

from wirebook.docgen.pages.schemas import read_schema


def validator(name: str) -> Draft202012Validator:
    schema = read_schema(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
