"""Lists what the wheel installs with its extras, from the lock files, as a CycloneDX 1.6 document."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# The lock file with the packages of an extra. The extra dev is for a checkout.
EXTRAS = {"site": "site.txt", "spark": "site.txt", "java": "java.txt", "records": "records.txt"}
_ENTRY = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>[^\\\n]+?))? *\\?\n")


class Locked(NamedTuple):
    """A package of a lock file, with the hashes of its files and the names of what needs it.

    `marker` is the condition on the environment under which it is installed (PEP 508).
    """

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    wanted_by: tuple[str, ...]

    @property
    def purl(self) -> str:
        """Its package URL, which is its reference in the document as well."""
        return f"pkg:pypi/{self.name}@{self.version}"


def locked(text: str) -> Iterator[Locked]:
    """The packages of a lock file as uv writes it. Raises ValueError for an invalid entry."""
    for entry in re.split(r"\n(?=[^\s#])", "\n" + text.strip() + "\n"):
        if not entry.strip():
            continue
        found = _ENTRY.match(entry)
        hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)
        if found is None or not hashes:
            raise ValueError(f"this is not a locked package: {entry[:100]!r}")
        via = re.findall(r"^    #(?: via|  ) +([a-z0-9-]+)", entry, re.MULTILINE)
        yield Locked(
            found["name"], found["version"], found["marker"] or "", tuple(sorted(hashes)), tuple(via)
        )


def document(root: Path = ROOT) -> dict[str, Any]:
    """The document. It names no time and no machine, so that one commit has one."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = (root / "wirebook" / "_version.py").read_text(encoding="utf-8")
    (version,) = re.findall('^__version__ = "(.+)"$', source, re.MULTILINE)
    files = [root / "requirements" / name for name in sorted(set(EXTRAS.values()))]
    texts = [file.read_text(encoding="utf-8") for file in files]
    packages = sorted({item.purl: item for text in texts for item in locked(text)}.values())
    own = f"pkg:pypi/{project['name']}@{version}"
    needs: dict[str, set[str]] = {own: set(), **{item.purl: set() for item in packages}}
    for item in packages:
        for name in item.wanted_by:
            holders = [other.purl for other in packages if other.name == name]
            for holder in [own] if name == project["name"] else holders:
                needs[holder].add(item.purl)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": project["name"],
                "version": version,
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": own,
            },
            "properties": [{"name": "wirebook:extras", "value": ",".join(EXTRAS)}],
        },
        "components": [_component(item) for item in packages],
        "dependencies": [
            {"ref": ref, **({"dependsOn": sorted(wanted)} if wanted else {})} for ref, wanted in needs.items()
        ],
    }


def _component(item: Locked) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": item.purl,
        "name": item.name,
        "version": item.version,
        "scope": "optional",  # without an extra, the wheel installs nothing but itself
        # One for each file of the release that pip may choose.
        "hashes": [{"alg": "SHA-256", "content": content} for content in item.hashes],
        "purl": item.purl,
    }
    if item.marker:
        made["properties"] = [{"name": "wirebook:marker", "value": item.marker}]
    return made


def main(arguments: list[str]) -> int:
    """Write the document into a folder."""
    made = document()
    component = made["metadata"]["component"]
    target = Path(arguments[0]) / f"{component['name']}-{component['version']}.cdx.json"
    target.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    print(f"wirebook: {len(made['components'])} packages are listed in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
