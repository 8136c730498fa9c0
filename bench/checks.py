"""The check beside buf on as many protobuf files, in turns, as ratios of CPU time and of time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.protobuf import convert

BUF = "1.75.0"
ROOT = Path(__file__).resolve().parent.parent
Row = tuple[str, str, str]

# A sound change of a response: a field with the next free tag.
_FIELDS = '"fields": ['
_MORE = '{"name": "Extra", "type": "int32", "versions": "17+", "taggedVersions": "17+", "tag": 1},'

# An unsound one: an untagged field in its released versions.
_BREAK = '{"name": "Extra", "type": "int32", "versions": "0+"},'


@dataclass
class Case:
    """A command that is run again and again, with what each run takes."""

    command: Sequence[str]
    folder: Path
    code: int
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Run it once more. Raises RuntimeError where it ends in another way than it is to."""
        begun = time.perf_counter()
        silent = subprocess.DEVNULL
        process = subprocess.Popen(
            self.command, cwd=self.folder, stdin=silent, stdout=silent, stderr=silent
        )
        _, status, used = os.wait4(process.pid, 0)
        self.wall.append(time.perf_counter() - begun)
        self.cpu.append(used.ru_utime + used.ru_stime)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != self.code:
            raise RuntimeError(f"exit code {process.returncode}: {' '.join(self.command)}")


def rows(specs: Path, repeat: int, folder: Path) -> Iterator[Row]:
    """Measure the check on a clone of the history; `folder` is for what is written."""
    buf = _buf()
    if buf is None:
        yield ("the check beside buf", "npm is needed to install buf", "")
        return
    count = _sides(specs, folder)
    check = [sys.executable, "-m", "wirebook.cli.main", "check"]
    breaking = [str(buf), "breaking"]
    pairs = {
        f"check --staged, one spec of {count} changed": (
            Case([*check, "--staged"], folder / "staged", 0),
            Case([*breaking, "--against", ".git#ref=HEAD"], folder / "proto-git", 100),
            "at most 0.35 of the CPU",
        ),
        "  with a break": (
            Case([*check, "--staged"], folder / "broken", 1),
            Case([*breaking, "--against", ".git#ref=HEAD"], folder / "proto-git", 100),
            "at most 0.4 of the CPU",
        ),
        "  with all its releases": (
            Case([*check, "--staged", "--released", "[0-9]*"], folder / "staged", 0),
            Case([*breaking, "--against", ".git#ref=HEAD"], folder / "proto-git", 100),
            "at most 0.6 of the CPU",
        ),
    }
    for what, (ours, theirs, goal) in pairs.items():
        # The first run warms the files.
        for _ in range(5 * repeat + 1):
            ours.run()
            theirs.run()
        cpu = median(ours.cpu[1:]) / median(theirs.cpu[1:])
        wall = median(ours.wall[1:]) / median(theirs.wall[1:])
        yield (what, f"{cpu:.2f} of buf's CPU, {wall:.2f} of its time", goal)


def _sides(specs: Path, folder: Path) -> int:
    """Clones in which one spec has changed, and all of it as protobuf."""
    for name, more in (("staged", _MORE), ("broken", _BREAK)):
        shutil.copytree(specs, folder / name)
        _add_field(folder / name, more)
        _git(folder / name, "add", "-A")
    convert(folder / "staged", folder / "proto-changed")
    proto = folder / "proto-git"
    count = convert(specs, proto)
    _git(proto, "init", "-q")
    _git(proto, "add", "-A")
    who = ["-c", "user.name=A", "-c", "user.email=a@b.invalid"]
    _git(proto, *who, "commit", "-q", "-m", "A")
    shutil.copy(folder / "proto-changed" / "FetchResponse.proto", proto)
    return count


def _add_field(repository: Path, more: str) -> None:
    (path,) = repository.rglob("message/FetchResponse.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(_FIELDS, f"{_FIELDS}\n    {more}", 1), encoding="utf-8")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def _buf() -> Path | None:
    """The program itself, without the script of Node.js around it; None where npm cannot install
    it."""
    target = ROOT / ".cache" / f"buf-{BUF}"
    if not list(target.glob("node_modules/@bufbuild/buf-*/bin/buf*")):
        npm = shutil.which("npm")
        if npm is None:
            return None
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(target)]
        target.mkdir(parents=True, exist_ok=True)
        if subprocess.run([*command, f"@bufbuild/buf@{BUF}"], check=False).returncode:
            return None
    return next(iter(sorted(target.glob("node_modules/@bufbuild/buf-*/bin/buf*"))), None)
