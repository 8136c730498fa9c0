"""Specs whose fields list values, for tests of what a change of these does."""

from __future__ import annotations

from typing import Any


def value(number: int, name: str, **more: object) -> dict[str, object]:
    return {"value": number, "name": name, **more}


SAFE, FAST = value(0, "safe"), value(1, "fast")


def field(*values: dict[str, object], name: str = "Mode", key: str = "values") -> dict[str, Any]:
    declared = {"name": name, "type": "int8", "versions": "0+", "about": "The mode."}
    return {**declared, key: list(values)} if values else declared


def spec(
    *fields: dict[str, Any], name: str = "FooData", top: int = 0, **more: object
) -> dict[str, Any]:
    kind = {"type": "data", "name": name, "validVersions": f"0-{top}", "flexibleVersions": "none"}
    return {**kind, **more, "fields": list(fields)}
