"""The check beside buf on as many protobuf files, in turns, as ratios of CPU time and of time."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from subprocess import DEVNULL
from typing import NamedTuple

from bench.protobuf import convert

BUF = "1.75.0"
ROOT = Path(__file__).resolve().parent.parent
Row = tuple[str, str, str]

# A sound change of a response: a field with the next free tag.
_FIELDS = '"fields": ['
_MORE = '{"name": "Extra", "type": "int32", "versions": "17+", "taggedVersions": "17+", "tag": 1},'

# An unsound one: an untagged field in its released versions.
_BREAK = '{"name": "Extra", "type": "int32", "versions": "0+"},'


# What is measured: the repository, more options, the exit code, and the goal.
_CHECKS = (
    ("check --staged, one spec of {count} changed", "staged", "", 0, "at most 0.35 of the CPU"),
    ("  with a break", "broken", "", 1, "at most 0.4 of the CPU"),
    ("  with all its releases", "staged", "--released [0-9]*", 0, "at most 0.6 of the CPU"),
)


class Took(NamedTuple):
    """The seconds of one run."""

    cpu: float
    wall: float


def rows(specs: Path, repeat: int, folder: Path) -> Iterator[Row]:
    """Measure the check on a clone of the history; `folder` is for what is written."""
    buf = _buf()
    if buf is None:
        yield ("the check beside buf", "npm is needed to install buf", "")
        return
    count = _sides(specs, folder)
    check = [sys.executable, "-m", "wirebook.cli.main", "check", "--staged"]
    breaking = [str(buf), "breaking", "--against", ".git#ref=HEAD"]
    for what, name, more, code, goal in _CHECKS:
        ours, theirs = [], []
        # The first run warms the files.
        for _ in range(5 * repeat + 1):
            ours.append(_run([*check, *more.split()], folder / name, code))
            theirs.append(_run(breaking, folder / "proto-git", 100))
        cpu = median(each.cpu for each in ours[1:]) / median(each.cpu for each in theirs[1:])
        wall = median(each.wall for each in ours[1:]) / median(each.wall for each in theirs[1:])
        measured = f"{cpu:.2f} of buf's CPU, {wall:.2f} of its time"
        yield (what.format(count=count), measured, goal)


def _run(command: Sequence[str], folder: Path, code: int) -> Took:
    """Run a command. Raises RuntimeError if it ends with another code."""
    before, begun = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
    wall, after = time.perf_counter() - begun, getrusage(RUSAGE_CHILDREN)
    if done.returncode != code:
        raise RuntimeError(f"exit code {done.returncode}: {' '.join(command)}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(cpu, wall)


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
    programs = "node_modules/@bufbuild/buf-*/bin/buf*"
    npm = shutil.which("npm")
    if npm is not None and not list(target.glob(programs)):
        target.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(target)]
        subprocess.run([*command, f"@bufbuild/buf@{BUF}"], check=False)
    return next(iter(sorted(target.glob(programs))), None)
