"""What a check takes, beside buf on as many protobuf files and a bare interpreter, all in the same run."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.pipeline import WARM
from bench.processes import Cost, measured
from bench.protobuf import convert
from wirebook.cli.main import main

BUF = "1.75.0"
ROOT = Path(__file__).resolve().parent.parent
OLDER = "4.0.0"
Row = tuple[str, str, str]

# A sound change of a response, a field with the next free tag; and one that breaks it.
_FIELDS = '"fields": ['
_MORE = '{"name": "Extra", "type": "int32", "versions": "17+", "taggedVersions": "17+", "tag": 1},'
_RENEWED = ('"validVersions": "4-18"', '"validVersions": "4-19"')
_BROKEN = ('"type": "int32", "versions": "1+"', '"type": "int64", "versions": "1+"')


@dataclass
class Case:
    """A command that is run again and again: CPU time and time of each run, and the peak of its memory."""

    command: Sequence[str]
    folder: Path
    codes: tuple[int, ...] = (0,)
    cold: Path | None = None
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    memory: float = 0

    def run(self, environment: dict[str, str]) -> None:
        """Run it once more; raises RuntimeError where it ends in another way than it is to."""
        if self.cold is not None:
            shutil.rmtree(self.cold, ignore_errors=True)
        begun = time.perf_counter()
        process = subprocess.Popen(
            self.command,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        took = time.perf_counter() - begun
        process.returncode = code = os.waitstatus_to_exitcode(status)
        if code not in self.codes:
            raise RuntimeError(f"exit code {code}: {' '.join(self.command)}")
        self.cpu.append(used.ru_utime + used.ru_stime)
        self.wall.append(took)
        self.memory = max(self.memory, used.ru_maxrss / 1024)

    def __str__(self) -> str:
        return f"{median(self.cpu) * 1000:.0f} ms of CPU, {median(self.wall) * 1000:.0f} ms"

    def beside(self, other: Case | None) -> str:
        """As a ratio to another case."""
        if other is None:
            return "no buf: it needs npm"
        cpu, wall = median(self.cpu) / median(other.cpu), median(self.wall) / median(other.wall)
        return f"{cpu:.2f} of its CPU, {wall:.2f} of its time"


def rows(repeat: int, history: str, folder: Path) -> Iterator[Row]:
    """Measure; `history` is a repository with releases, `folder` a place for what is written."""
    folder.mkdir()
    specs = folder / "specs"
    subprocess.run(["git", "clone", "-q", history, str(specs)], check=True)
    count = _folders(specs, folder)
    buf = _buf()
    cases = _cases(specs, folder, None if buf is None else str(buf))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {
        "PYTHONPATH": str(ROOT),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "BUF_CACHE_DIR": str(folder / "buf-cache"),
    }
    for turn in range(5 * repeat + 1):
        for name, case in cases.items():
            if turn > repeat and case.cold:
                continue
            given = environment if case.cold is None else {**environment, "XDG_CACHE_HOME": str(case.cold)}
            case.run(given)
            if turn == 0:
                # The first run fills caches, and warms the files.
                print(f"  {name}", file=sys.stderr, flush=True)
                case.cpu.clear()
                case.wall.clear()
                case.memory = 0
    yield from _table(cases, count)
    yield _reports(specs)


def than(commit: str, repeat: int, history: str, folder: Path) -> Iterator[Row]:
    """The checks of this commit and of another one, by turns, as ratios; `folder` is for what is written."""
    folder.mkdir()
    specs, other = folder / "specs", folder / "other"
    subprocess.run(["git", "clone", "-q", history, str(specs)], check=True)
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(other, filter="tar")
    program = folder / "program.py"
    program.write_text("import sys\nfrom wirebook.cli.main import main\nsys.exit(main())\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    for what, (arguments, place, codes) in _compared(specs, folder).items():
        command = [sys.executable, str(program), *arguments]
        pair = Case(command, place, codes), Case(command, place, codes)
        for turn in range(5 * repeat + 1):
            for case, checkout in zip(pair, (ROOT, other), strict=True):
                cache = folder / f"cache-{checkout.name}"
                given = {"PYTHONPATH": str(checkout), "XDG_CACHE_HOME": str(cache)}
                given["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
                case.run(environment | given)
                if turn == 0:
                    # The first run fills caches, and warms the files.
                    case.cpu.clear()
                    case.wall.clear()
        yield (f"{what}, compared with {commit}", pair[0].beside(pair[1]), "at most 1.05")
    yield _audits(commit, program, (ROOT, other), specs, repeat)


def _audits(commit: str, program: Path, checkouts: Sequence[Path], specs: Path, repeat: int) -> Row:
    """Audits of the whole history by two checkouts in turns, all their processes included, as a ratio."""
    runs: dict[Path, list[Cost]] = {checkout: [] for checkout in checkouts}
    for _ in range(repeat + WARM):
        for checkout, costs in runs.items():
            output = program.parent / f"audit-{checkout.name}"
            shutil.rmtree(output, ignore_errors=True)
            given = [f"PYTHONPATH={checkout}", f"PYTHONPYCACHEPREFIX={program.parent / 'bytecode'}"]
            given.append(f"XDG_CACHE_HOME={program.parent / f'cache-{checkout.name}'}")
            audit = ["audit", str(specs), "--releases", "[0-9]*", "--output", str(output), "--quiet"]
            costs.append(measured(["env", *given, sys.executable, str(program), *audit], folder=specs))
    own, other = (costs[WARM:] for costs in runs.values())
    processor = median(cost.processor for cost in own) / median(cost.processor for cost in other)
    wall = median(cost.wall for cost in own) / median(cost.wall for cost in other)
    words = f"{processor:.2f} of its CPU, {wall:.2f} of its time"
    return (f"audit of the history, compared with {commit}", words, "at most 1.1")


def _compared(specs: Path, folder: Path) -> dict[str, tuple[Sequence[str], Path, tuple[int, ...]]]:
    """What is compared with another commit: the command, its folder, and the codes with which it may end."""
    for name in ("described", "staged", "renewed", "broken"):
        shutil.copytree(specs, folder / name)
    _edit(folder / "described", "FetchResponse.json", '"about": "', '"about": "In short: ')
    _edit(folder / "staged", "FetchResponse.json", _FIELDS, f"{_FIELDS}\n    {_MORE}")
    _edit(folder / "broken", "FetchResponse.json", *_BROKEN)
    for name in ("FetchRequest.json", "FetchResponse.json"):
        _edit(folder / "renewed", name, *_RENEWED)
    for name in ("described", "staged", "renewed", "broken"):
        _git(folder / name, "add", "-A")
    for name, ref in (("now", "HEAD"), ("older", OLDER)):
        (folder / name).mkdir()
        _git(specs, "archive", f"--output={folder / name}.tar", ref)
        shutil.unpack_archive(f"{folder / name}.tar", folder / name, filter="data")
    staged, releases = ["check", "--staged"], ["--released", "[0-9]*"]
    return {
        "check --staged, nothing staged": (staged, specs, (0,)),
        "check --staged, a description": (staged, folder / "described", (0,)),
        "check --staged, a tagged field": (staged, folder / "staged", (0,)),
        "check --staged, a new version of an API": (staged, folder / "renewed", (0,)),
        "check --staged, a break": (staged, folder / "broken", (1,)),
        "check of folders": (["check", "--old", "older", "--new", "now"], folder, (1,)),
        "check against all releases, warm": (["check", "--against", "HEAD~1", *releases], specs, (0, 1)),
    }


def _table(cases: dict[str, Case], count: int) -> Iterator[Row]:
    def row(name: str, goal: str = "", what: str = "") -> Row:
        return (what or name, str(cases[name]), goal)

    yield row("a bare interpreter")
    for name in ("--version", "explain", "a usage error"):
        yield row(name, "at most 60 ms", f"wirebook {name}" if name != "a usage error" else "")
    git, folders = cases.get("buf with git"), cases.get("buf, folders")
    if git is not None:
        yield row("buf with git", "", f"buf breaking, one file of {count} changed, against git")
        yield row("buf, folders", "", f"buf breaking, folder against folder, one file of {count} changed")
        yield row("buf, releases", "", f"buf breaking, folder against folder, {OLDER} and now")
    staged = cases["staged"]
    yield row("staged", "at most 80 ms", f"check --staged, one spec of {count} changed")
    yield ("  beside buf with git", staged.beside(git), "at most 0.25")
    yield ("  its memory at its peak", f"{staged.memory:.0f} MB", "below 80 MB")
    yield row("broken", "at most 80 ms", "check --staged, one spec broken, one finding")
    yield ("  beside buf with git", cases["broken"].beside(git), "at most 0.25")
    yield row("against", "at most 200 ms", f"check --against HEAD~1, {count} specs")
    yield row("folder", "at most 200 ms", f"check, folder against folder, one spec of {count} changed")
    yield ("  beside buf on folders", cases["folder"].beside(folders), "at most 0.6")
    yield row("releases", "", f"check, folder against folder, {OLDER} and now")
    yield ("  beside buf on the same", cases["releases"].beside(cases.get("buf, releases")), "at most 0.6")
    saved = 1 - median(cases["releases"].cpu) / median(cases["careful"].cpu)
    yield ("  saved by quickjson", f"{saved:.0%} of the CPU of a check without it", "more than 5 %")
    yield row("cold", "at most 2.5 s", "check against all releases, cache cold")
    yield row("warm", "at most 300 ms", "check against all releases, cache warm")
    yield row("report", "at most 150 ms", "report --against HEAD~1..HEAD")


def _reports(specs: Path) -> Row:
    """The reports of all commits, one after the other in this process."""
    listed = subprocess.run(
        ["git", "log", "--format=%H %P"], cwd=specs, capture_output=True, text=True, check=True
    )
    commits = [line.split() for line in listed.stdout.splitlines()]
    took = []
    for commit, parent, *_ in (names for names in commits if len(names) > 1):
        begun = time.perf_counter()
        with contextlib.chdir(specs), contextlib.redirect_stdout(io.StringIO()):
            code = main(["report", "--against", f"{parent}..{commit}"])
        if code:
            raise RuntimeError(f"exit code {code}: report of {commit}")
        took.append(time.perf_counter() - begun)
    what = f"report of each of {len(took)} commits, without the start of Python"
    return (what, f"{median(took) * 1000:.0f} ms, {max(took) * 1000:.0f} ms at most", "median at most 150 ms")


def _folders(specs: Path, folder: Path) -> int:
    """Clones in which one spec has changed, the folders of two releases, and all of it as protobuf."""
    for name in ("staged", "broken"):
        shutil.copytree(specs, folder / name)
    _edit(folder / "staged", "FetchResponse.json", _FIELDS, f"{_FIELDS}\n    {_MORE}")
    _edit(folder / "broken", "FetchResponse.json", *_BROKEN)
    for name in ("staged", "broken"):
        _git(folder / name, "add", "-A")
    for name, ref in (("now", "HEAD"), ("older", OLDER)):
        (folder / name).mkdir()
        _git(specs, "archive", f"--output={folder / name}.tar", ref)
        shutil.unpack_archive(f"{folder / name}.tar", folder / name, filter="data")
    shutil.copytree(folder / "now", folder / "changed")
    _edit(folder / "changed", "FetchResponse.json", _FIELDS, f"{_FIELDS}\n    {_MORE}")
    convert(folder / "older", folder / "proto-older")
    convert(folder / "changed", folder / "proto-changed")
    count = convert(folder / "now", folder / "proto")
    shutil.copytree(folder / "proto", folder / "proto-git")
    _git(folder / "proto-git", "init", "-q")
    _git(folder / "proto-git", "add", "-A")
    _git(folder / "proto-git", "-c", "user.name=A", "-c", "user.email=a@b.invalid", "commit", "-q", "-m", "A")
    shutil.copy(folder / "proto-changed" / "FetchResponse.proto", folder / "proto-git")
    return count


def _cases(specs: Path, folder: Path, buf: str | None) -> dict[str, Case]:
    # As an installer writes it.
    program = folder / "program.py"  # not wirebook.py, which would hide the package
    program.write_text("import sys\nfrom wirebook.cli.main import main\nsys.exit(main())\n")
    careful = folder / "careful.py"
    careful.write_text(
        "import sys\nfrom wirebook.cli.main import main\nfrom wirebook.specs.reading import reader\n"
        "reader.read_quickly = lambda text: None\nsys.exit(main())\n"
    )
    wirebook = [sys.executable, str(program)]
    check = [*wirebook, "check"]
    released = [*check, "--against", "HEAD~1", "--released", "[0-9]*"]
    releases = ["check", "--old", "older", "--new", "now"]
    found = {
        "a bare interpreter": Case([sys.executable, "-c", "pass"], specs),
        "--version": Case([*wirebook, "--version"], specs),
        "explain": Case([*wirebook, "explain", "tag-reused"], specs),
        "a usage error": Case([*check, "--no-such-option"], specs, (2,)),
        "staged": Case([*check, "--staged"], folder / "staged"),
        "broken": Case([*check, "--staged"], folder / "broken", (1,)),
        "against": Case([*check, "--against", "HEAD~1"], specs, (0, 1)),
        "folder": Case([*check, "--old", "now", "--new", "changed"], folder),
        "releases": Case([*wirebook, *releases], folder, (1,)),
        "careful": Case([sys.executable, str(careful), *releases], folder, (1,)),
        "cold": Case(released, specs, (0, 1), folder / "cold-cache"),
        "warm": Case(released, specs, (0, 1)),
        "report": Case([*wirebook, "report", "--against", "HEAD~1..HEAD"], specs),
    }
    if buf is not None:
        breaking = [buf, "breaking"]
        found |= {
            "buf with git": Case([*breaking, "--against", ".git#ref=HEAD"], folder / "proto-git", (0, 100)),
            "buf, folders": Case([*breaking, "proto-changed", "--against", "proto"], folder, (0, 100)),
            "buf, releases": Case([*breaking, "proto", "--against", "proto-older"], folder, (100,)),
        }
    return found


def _edit(repository: Path, name: str, old: str, new: str) -> None:
    (place,) = repository.rglob(f"message/{name}")
    text = place.read_text(encoding="utf-8")
    if old not in text:
        raise RuntimeError(f"{name} is not what it was: it has no {old}")
    place.write_text(text.replace(old, new, 1), encoding="utf-8")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def _buf() -> Path | None:
    """The program itself, without the script of Node.js around it; None where npm cannot install it."""
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
