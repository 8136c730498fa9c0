"""Reads a wirebook.toml: the settings of a project, with the profile of its protocol."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from wirebook.rules import catalogue
from wirebook.rules.rule import Category, Severity
from wirebook.rules.settings import MERGED, OFF, Settings
from wirebook.rules.window import Window
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.keys import filled, many, unknown
from wirebook.specs.printable import visible
from wirebook.specs.profile import NEUTRAL
from wirebook.specs.profiles import KEYS, profile_of
from wirebook.specs.toml import Table, parse_toml

_LISTS = ("paths", "exclude", "released", "prerelease", "unstable")
_LEVELS = (*(severity.value for severity in Severity), OFF)


def read_settings(text: bytes, path: str) -> Settings:
    """Read a wirebook.toml. Raises InputError, with path and key, for what is not a setting."""
    table = Table(parse_toml(text, path), path)
    own = [each.name for each in fields(Settings) if each.name not in ("path", "profile")]
    for key in table.values:
        if key not in (*own, *KEYS):
            raise table.error(unknown("there is no setting", key, own))
    values: dict[str, Any] = {
        key: table.read(key, filled) for key in ("branch", "waivers") if key in table
    }
    for key in _LISTS:
        if key in table:
            is_one = isinstance(table.values[key], str)
            values[key] = (table.read(key, filled),) if is_one else table.read(key, many(filled))
    if values.get("waivers") not in (None, MERGED):
        raise table.error(f'"waivers" can only be "{MERGED}"')
    if "deprecated_for" in table:
        values["deprecated_for"] = Window.parse(table.read("deprecated_for", filled))
        if values["deprecated_for"] is None:
            raise table.error('"deprecated_for" must be like "2 releases" or "180 days"')
    stated = {key: value for key, value in table.values.items() if key in KEYS}
    profile = profile_of(stated, path, embedded_profile) if stated else NEUTRAL
    return Settings(path=path, severities=_severities(table), profile=profile, **values)


def _severities(table: Table) -> dict[str, str]:
    """The levels by rule or category. Raises InputError for an unknown name or level."""
    levels = table.values.get("severities", {})
    if not isinstance(levels, dict):
        raise table.error('"severities" must be a table: a level by rule or category')
    for name, level in levels.items():
        rule = catalogue.find(name)
        if rule is None and name not in set(Category):
            near = catalogue.nearest(name, Category)
            words = f'did you mean "{near[0]}"?' if near else "`wirebook explain` lists them"
            raise table.error(f'there is no rule or category "{visible(name)}"; {words}')
        if level not in _LEVELS:
            raise table.error(f'the level of "{name}" must be one of {", ".join(_LEVELS)}')
        if rule is not None and rule.firm and _LEVELS.index(level) > rule.severity.rank:
            raise table.error(
                f"{name} cannot be lowered: only a waiver accepts one of its findings"
            )
    return levels
