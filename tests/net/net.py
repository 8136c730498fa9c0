"""Compares what two checkouts answer: findings over a real history, wire formats, bytes and the
catalog.

`record OUT` runs one checkout (the one whose interpreter is given) and writes a JSON file; `compare
A B` prints where two such files differ, and exits with 1 if they do:

    python -m tests.net.net record before.json --python BEFORE/.venv/bin/python --history KAFKA
    --vectors FILE python -m tests.net.net record after.json --python .venv/bin/python --history
    KAFKA --vectors FILE python -m tests.net.net compare before.json after.json

KAFKA is a clone with Kafka's message specs and its release tags.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

RUN = "import sys; from wirebook.cli.main import main; sys.exit(main(sys.argv[1:]))"
IDENTITY = ("rule", "severity", "message_name", "message_type", "field", "versions")


@dataclass(frozen=True)
class Checkout:
    """An installation, named by its interpreter; `config` is the settings file of its checks, if
    any."""

    python: Path
    config: Path | None

    def run(self, *arguments: str, cwd: Path, data: str = "") -> str:
        """The output of a command. Raises RuntimeError if it ends with another code than 0 or 1."""
        command = [str(self.python.absolute()), "-c", RUN, *arguments]
        done = subprocess.run(command, cwd=cwd, input=data, capture_output=True, text=True)
        if done.returncode > 1:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def findings(self, history: Path, compared: str) -> list[str]:
        """The findings of one comparison, each as one line, sorted."""
        config = ["--config", str(self.config)] if self.config else []
        released = ["--released", "[0-9]*"]
        try:
            text = self.run(
                "check", "--against", compared, *released, *config, "--format", "json", cwd=history
            )
        except RuntimeError as error:
            return [str(error)]
        found = json.loads(text)["findings"]
        return sorted(" | ".join(str(each.get(key)) for key in IDENTITY) for each in found)


def git(history: Path, *arguments: str) -> list[str]:
    """The lines that git prints."""
    return subprocess.check_output(["git", "-C", str(history), *arguments], text=True).split("\n")[
        :-1
    ]


def ranges(history: Path) -> Iterator[str]:
    """Every commit against its parent, and every release against the one before it."""
    for line in git(history, "rev-list", "--parents", "--reverse", "HEAD"):
        commit, *parents = line.split()
        if parents:
            yield f"{parents[0]}..{commit}"
    tags = git(history, "tag", "--list", "[0-9]*", "--sort=version:refname")
    yield from (f"{before}..{after}" for before, after in pairwise(tags))


def bytes_of(checkout: Checkout, vectors: Path, folder: Path) -> dict[str, str]:
    """The bytes of each vector, as this checkout encodes its value, and the digest of what it
    decodes."""
    rows = [json.loads(line) for line in vectors.read_text().splitlines()]
    names = [f"{row['api']}{row['kind'].capitalize()}" for row in rows]
    values = "".join(
        json.dumps({"message": name, "version": row["version"], "value": row["value"]}) + "\n"
        for name, row in zip(names, rows, strict=True)
    )
    encoded = checkout.run("encode", "--batch", cwd=folder, data=values).splitlines()
    texts = "".join(
        json.dumps({"message": name, "version": row["version"], "hex": row["body"]}) + "\n"
        for name, row in zip(names, rows, strict=True)
    )
    decoded = checkout.run("decode", "--batch", cwd=folder, data=texts).splitlines()
    answers: dict[str, str] = {}
    for row, hexadecimal, value in zip(rows, encoded, decoded, strict=True):
        expected = json.loads(hexadecimal).get("hex") == row["body"]
        digest = sha256(value.encode()).hexdigest()
        answers[row["id"]] = f"{'as confirmed' if expected else hexadecimal} {digest[:16]}"
    return answers


def digests(folder: Path) -> dict[str, str]:
    """A digest of each JSON document in a folder, by path."""
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.json"))
    }


def record(options: argparse.Namespace) -> dict[str, Any]:
    """What one checkout answers."""
    checkout = Checkout(options.python, options.config)
    answers: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        folder = Path(name)
        if options.history:
            compared = list(ranges(options.history))[:: options.every]
            found = pool.map(partial(checkout.findings, options.history), compared)
            answers["findings"] = dict(zip(compared, found, strict=True))
        layouts = checkout.run("export", cwd=folder)
        answers["layouts"] = {"all": sha256(layouts.encode()).hexdigest()}
        if options.vectors:
            answers["bytes"] = bytes_of(checkout, options.vectors, folder)
        if options.catalog:
            answers["catalog"] = digests(options.catalog)
    return answers


def compare(before: dict[str, Any], after: dict[str, Any]) -> int:
    """Print what differs; returns the number of differences."""
    differences = 0
    for topic in sorted(before.keys() & after.keys()):
        old, new = before[topic], after[topic]
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) == new.get(key):
                continue
            differences += 1
            print(f"{topic} {key}")
            if topic == "findings":
                for line in sorted({*old.get(key, ())} - {*new.get(key, ())}):
                    print(f"  - {line}")
                for line in sorted({*new.get(key, ())} - {*old.get(key, ())}):
                    print(f"  + {line}")
        print(f"{topic}: {len(old)} before, {len(new)} after")
    print(f"{differences} differences")
    return differences


def main() -> int:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("output", type=Path)
    recording.add_argument("--python", type=Path, default=Path(sys.executable))
    recording.add_argument("--config", type=Path, help="the settings of the checks")
    recording.add_argument("--history", type=Path)
    recording.add_argument("--every", type=int, default=1, help="one comparison in so many")
    recording.add_argument("--vectors", type=Path)
    recording.add_argument("--catalog", type=Path, help="a catalog that this checkout has built")
    recording.add_argument("--jobs", type=int, default=2)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "record":
        options.output.write_text(json.dumps(record(options), indent=1))
        return 0
    before, after = (json.loads(path.read_text()) for path in (options.before, options.after))
    return 1 if compare(before, after) else 0


if __name__ == "__main__":
    sys.exit(main())
