"""Checks what a release states about itself, before it is published: tag, changelog, addresses."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Print each problem of the release TAG in the repository at ADDRESS; returns 1 if there is
    one."""
    if len(arguments) != 2:
        print("usage: python tools/check_release.py TAG ADDRESS-OF-THE-REPOSITORY", file=sys.stderr)
        return 2
    found = list(problems(root, *arguments))
    for problem in found:
        print(f"wirebook: {problem}", file=sys.stderr)
    return 1 if found else 0


def problems(root: Path, tag: str, address: str) -> Iterator[str]:
    """Why the tree at `root` is not the release `tag` of the repository at `address`, one line
    each."""
    package = (root / "wirebook" / "_version.py").read_text("utf-8")
    (version,) = re.findall(r'^__version__ = "(.+?)"', package, re.M)
    if tag != version:
        yield f'the tag is "{tag}", and wirebook/_version.py has "{version}"'
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    newest = next(iter(re.findall(r"^## (.+)$", changelog, re.M)), "nothing")
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", newest):
        yield f'CHANGELOG.md begins with "{newest}": write "## {version} (YYYY-MM-DD)"'
    urls = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    for name, url in urls.items():
        if url != address and not url.startswith(f"{address}/"):
            yield f"pyproject.toml: the address {name} is {url}, outside {address}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
