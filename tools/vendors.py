"""Writes specs/kafka/vendors.json from the output of `wirebook survey`: `python tools/vendors.py SURVEY`.

The names, repositories and globs of tags are those that the file has. The survey has to name its repositories
so, with Apache Kafka as the reference; CONTRIBUTING.md shows the command. Only names, numbers and days are
taken over, no text of a spec.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]

from wirebook.specs.kafka.vendors import PATH

Row = dict[str, Any]


def main() -> int:
    """Write the file; the survey's folder is the argument."""
    folder = Path(sys.argv[1])
    survey: Row = json.loads((folder / "survey.json").read_text(encoding="utf-8"))
    layouts: list[Row] = pq.read_table(folder / "layouts").to_pylist()
    known: Row = json.loads(PATH.read_text(encoding="utf-8"))
    by_name = {row["name"]: row for row in survey["repositories"]}
    reference = survey["repositories"][0]
    document = {
        "schema": known["schema"],
        "release": reference["newest"]["name"],
        "day": reference["newest"]["day"],
        "vendors": [
            _vendor(each, by_name[each["name"]], survey, layouts)
            for each in sorted(known["vendors"], key=lambda each: str(each["name"]).lower())
        ],
    }
    PATH.write_text(_text(document), encoding="utf-8")
    return 0


def _vendor(known: Row, found: Row, survey: Row, layouts: list[Row]) -> Row:
    name = known["name"]
    cells = [
        (api, cell) for api in survey["apis"] for cell in api["repositories"] if cell["repository"] == name
    ]
    newest, own = found["newest"], [(api, cell) for api, cell in cells if cell.get("own")]
    apis = [(api, cell) for api, cell in own if api["api_key"] is not None]
    return {
        "name": name,
        "repository": known["repository"],
        "releases": known["releases"],
        "release": newest["name"],
        "commit": newest["commit"],
        "day": newest["day"],
        "read_until": found["tip"]["day"],
        **found["layouts"],
        "nearest": found["nearest"],
        "own_apis": [
            {"key": api["api_key"], "name": cell["name"], "versions": cell["own"]} for api, cell in apis
        ],
        "own_messages": [
            {"name": cell["name"], "versions": cell["own"]} for api, cell in own if api["api_key"] is None
        ],
        "different": list(_different(name, survey["reference"], layouts)),
        "steps": list(_steps([each for each in survey["drift"] if each["repository"] == name])),
        "taken_over": [
            {key: each[key] for key in ("release", "layouts", "taken", "days")}
            for each in survey["taken_over"]
            if each["repository"] == name
        ],
    }


def _different(name: str, reference: str, layouts: list[Row]) -> Iterator[Row]:
    """The versions of the newest release with other bytes, and whose bytes they are."""
    there = {
        (row["subject"], row["part"], row["fingerprint"]): row["version"]
        for row in layouts
        if row["repository"] == reference
    }
    for row in layouts:
        if row["repository"] == name and row["in_newest"] and row["status"] in ("earlier", "other"):
            made = {"message": row["message"], "version": row["version"], "status": row["status"]}
            same_as = there.get((row["subject"], row["part"], row["fingerprint"]))
            if row["status"] == "other" and same_as is not None:
                made["same_as"] = same_as
            yield made


def _steps(drift: list[Row]) -> Iterator[Row]:
    releases = [each for each in drift if each["point"]["kind"] == "release"]
    for _, some in groupby(releases, key=lambda each: str(each["nearest"])):
        first = next(some)
        yield {
            "release": first["point"]["name"],
            "day": first["point"]["day"],
            "nearest": first["nearest"],
            **{key: first["difference"][key] for key in ("other", "own", "missing")},
        }


def _text(document: Row) -> str:
    """The document, with a line for each row."""
    vendors = []
    for vendor in document.pop("vendors"):
        parts = []
        for key, value in vendor.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                rows = ",\n        ".join(json.dumps(row, ensure_ascii=False) for row in value)
                parts.append(f'      "{key}": [\n        {rows}\n      ]')
            else:
                parts.append(f'      "{key}": {json.dumps(value, ensure_ascii=False)}')
        vendors.append("    {\n" + ",\n".join(parts) + "\n    }")
    head = "".join(f'  "{key}": {json.dumps(value)},\n' for key, value in document.items())
    return "{\n" + head + '  "vendors": [\n' + ",\n".join(vendors) + "\n  ]\n}\n"


if __name__ == "__main__":
    sys.exit(main())
