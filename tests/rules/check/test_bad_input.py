"""What cannot be read is never "no findings": bad input of each kind, on either side and in a baseline."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, api_versions, broken, request, response, started
from tests.rules.check.running import PATH, Run
from tests.support import ROOT

Text = str | bytes

# What is no spec, or one of which nothing can be made.
UNREADABLE: dict[str, Text] = {
    "broken": "{",
    "empty": "",
    "binary": b"\0\1\2",
    "no UTF-8": b'{"name": "\xff\xfe"}',
    "cut off": json.dumps(request())[:-20],
    "10,000 levels": "[" * 10_000,
    "a number without end": '{"apiKey": ' + "9" * 10_000 + "}",
    "larger than any spec": b" " * (17 << 20),
}
# What is read as far as it goes: a finding on the new side, but nothing to compare with on another.
HALF: dict[str, dict[str, Any]] = {
    "no versions": request(validVersions=None),
    "no range": request(validVersions="0-99999999999"),
    "an API key that is none": request(apiKey=1e300),
}
# What Kafka's own specs had: read, and told only where the patch brings it in.
LOOSE: dict[str, tuple[str, Text]] = {
    "trailing text": ("trailing-text", json.dumps(request()) + "}"),
    "a byte-order mark": ("byte-order-mark", "\ufeff" + json.dumps(request())),
    "a tag in quotes": ("wrong-type", json.dumps(request()).replace('"tag": 0', '"tag": "0"')),
    "an unknown key": ("unknown-key", json.dumps({**request(), "scope": "broker"})),
    "a key twice": ("duplicate-key", json.dumps(request()).replace('"tag": 0', '"tag": 0, "tag": 0')),
}


def text_of(spec: dict[str, Any]) -> str:
    return json.dumps(spec)


def tree(folder: Path, fetch: Text) -> Path:
    """A folder with two specs: Fetch's request as given, and one that breaks a rule by itself."""
    folder.mkdir()
    text = fetch if isinstance(fetch, bytes) else fetch.encode()
    (folder / "FetchRequest.json").write_bytes(text)
    (folder / "FetchResponse.json").write_text(text_of(response()))
    return folder


def unchecked(out: str) -> list[str]:
    return list(json.loads(out)["unchecked"])


@pytest.mark.parametrize(
    "text", [*UNREADABLE.values(), *map(text_of, HALF.values())], ids=[*UNREADABLE, *HALF]
)
def test_old_side(repo: Repo, check: Run, text: Text) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.write(PATH, text)
    repo.commit()
    repo.write(PATH, request())
    repo.spec(api_versions("request", fields=[]))
    repo.git("add", "-A")
    for arguments in (["--against", "HEAD"], ["--staged"]):
        found = check(repo.folder, *arguments, "--format", "json")
        assert found.code == 2
        assert [PATH in line for line in unchecked(found.out)] == [True]
        assert found.rules == ["field-removed-from-released-version"]


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=[*UNREADABLE])
def test_new_side(repo: Repo, check: Run, text: Text) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.write(PATH, text)
    repo.spec(api_versions("request", fields=[]))
    repo.git("add", "-A")
    for arguments in ([], ["--staged"]):
        found = check(repo.folder, *arguments, "--format", "json")
        assert found.code == 2
        assert [PATH in line for line in unchecked(found.out)] == [True]
        assert found.rules == ["field-removed-from-released-version"]


@pytest.mark.parametrize("text", ['["x"]', '{"type": "data"}', '{"validVersions": "0"}'])
def test_a_large_file_that_is_no_spec(text: str, repo: Repo, check: Run) -> None:
    """Nothing is wrong with it, and as long as nobody changes it, nothing is judged."""
    repo.write("data/large.json", text + " " * (16 << 20))
    repo.commit()
    assert check(repo.folder, "--against", "HEAD").code == 0
    repo.write("data/large.json", text + " " * (17 << 20))
    repo.git("add", "-A")
    for arguments in ([], ["--staged"]):
        outcome = check(repo.folder, "--against", "HEAD", *arguments, "--format", "json")
        is_spec = "validVersions" in text
        assert (outcome.code, len(unchecked(outcome.out))) == ((2, 1) if is_spec else (0, 0))


@pytest.mark.parametrize("kind", UNREADABLE)
def test_both_sides_alike(repo: Repo, check: Run, kind: str) -> None:
    """A broken file that a patch leaves alone does not stop it, unless it is asked for."""
    repo.write(PATH, UNREADABLE[kind])
    repo.commit()
    beside = repo.spec(api_versions("request", fields=[]))
    asked = check(repo.folder, "--against", "HEAD", PATH, str(beside), "--format", "json")
    assert (asked.code, asked.rules) == (2, ["field-removed-from-released-version"])
    assert [PATH in line for line in unchecked(asked.out)] == [True]
    everything = check(repo.folder, "--against", "HEAD", "--all", "--format", "json")
    assert (everything.code, [PATH in line for line in unchecked(everything.out)]) == (2, [True])
    plain = check(repo.folder, "--against", "HEAD", "--format", "json")
    assert (plain.code, plain.rules, unchecked(plain.out)) == (1, ["field-removed-from-released-version"], [])


@pytest.mark.parametrize("spec", HALF.values(), ids=[*HALF])
def test_half_a_spec_is_a_finding_on_the_new_side(repo: Repo, check: Run, spec: dict[str, Any]) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.write(PATH, spec)
    found = check(repo.folder, "--format", "json")
    assert found.code == 1
    assert {"missing-key", "bad-version-range", "wrong-type", "number-out-of-range"} & set(found.rules)


@pytest.mark.share(2)
@pytest.mark.parametrize(
    "text", [*UNREADABLE.values(), *map(text_of, HALF.values())], ids=[*UNREADABLE, *HALF]
)
def test_baseline(repo: Repo, check: Run, text: Text) -> None:
    repo.write(PATH, text)
    repo.commit()
    repo.git("tag", "1.0.0")
    repo.write(PATH, request())
    repo.commit()
    repo.git("tag", "1.1.0")
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken())
    for _ in range(2):  # what is kept of the releases says the same
        found = check(repo.folder, "--released", "[0-9]*", "--format", "json")
        assert found.code == 2
        assert [line.startswith("1.0.0: ") for line in unchecked(found.out)] == [True]
        assert found.rules == ["type-changed"]


@pytest.mark.share(4)
@pytest.mark.parametrize("side", ["old", "new", "released", "alone"])
@pytest.mark.parametrize("text", UNREADABLE.values(), ids=[*UNREADABLE])
def test_folders(tmp_path: Path, check: Run, text: Text, side: str) -> None:
    good, bad = (str(tree(tmp_path / name, t)) for name, t in (("good", text_of(request())), ("bad", text)))
    arguments = {
        "old": ["--old", bad, "--new", good],
        "new": ["--old", good, "--new", bad],
        "released": ["--old", good, "--new", good, "--released", bad],
        "alone": [bad],
    }
    found = check(tmp_path, *arguments[side])
    assert found.code == 2
    assert "FetchRequest.json" in found.out + found.err


@pytest.mark.parametrize("loose", LOOSE.values(), ids=[*LOOSE])
def test_loose_specs_are_read(tmp_path: Path, check: Run, loose: tuple[str, Text]) -> None:
    rule, text = loose
    good, bad = (str(tree(tmp_path / name, t)) for name, t in (("good", text_of(request())), ("bad", text)))

    def rules(*arguments: str) -> list[str]:
        found = check(tmp_path, *arguments, "--format", "json")
        assert found.code in (0, 1)
        return [item["rule"] for item in json.loads(found.out)["findings"]]

    assert rules("--old", good, "--new", bad) == [rule]
    assert rules("--old", bad, "--new", good) == []
    assert rules("--old", bad, "--new", bad) == []
    assert rules("--old", good, "--new", good, "--released", bad) == []


def test_two_files_for_one_message(repo: Repo, check: Run) -> None:
    twice = {**request(), "name": "FetchAgainRequest"}
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(twice)
    assert "duplicate-api-key" in check(repo.folder, "--format", "json").rules
    # Where the old side had both, that is not told again, and each has its own older self.
    repo.commit()
    repo.spec({**twice, "fields": broken()["fields"]})
    found = check(repo.folder, "--against", "HEAD", "--format", "json")
    assert found.rules == ["type-changed"]


# -- sources --------------------------------------------------------------------------------------


def zipped(path: Path, names: list[str], cut: int = 0) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, text_of(request()))
    if cut:
        path.write_bytes(path.read_bytes()[:-cut])
    return str(path)


def bomb(path: Path) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("FetchRequest.json", b" " * (64 << 20))
    return str(path)


def leaves(path: Path) -> str:
    """An archive whose only spec lies outside of it."""
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo("../FetchRequest.json")
        text = text_of(request()).encode()
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return str(path)


SOURCES: dict[str, Callable[[Path], str]] = {
    "nothing": lambda folder: str(folder / "nowhere"),
    "an empty folder": lambda folder: (folder / "empty").mkdir() or str(folder / "empty"),  # type: ignore[func-returns-value]
    "a truncated jar": lambda folder: zipped(folder / "a.jar", ["FetchRequest.json"], 30),
    "no archive at all": lambda folder: str(shutil.copy(__file__, folder / "b.zip")),
    "a bomb": lambda folder: bomb(folder / "c.jar"),
    "a way out": lambda folder: leaves(folder / "d.tar.gz"),
    "a ref that is not there": lambda folder: f"{folder / 'repo'}@nowhere",
    "a folder that is not there": lambda folder: f"{folder / 'repo'}@HEAD:nowhere",
    "a ref that is an option": lambda folder: f"{folder / 'repo'}@--output=x",
}


@pytest.mark.share(3)
@pytest.mark.parametrize("side", ["old", "new", "released", "against"])
@pytest.mark.parametrize("source", SOURCES.values(), ids=[*SOURCES])
def test_sources(repo: Repo, check: Run, tmp_path: Path, source: Callable[[Path], str], side: str) -> None:
    bad, good = source(tmp_path), str(repo.folder)
    arguments = {
        "old": ["--old", bad, "--new", good],
        "new": ["--old", good, "--new", bad],
        "released": ["--old", good, "--new", good, "--released", bad],
        "against": ["--against", bad],
    }
    found = check(repo.folder, *arguments[side])
    assert found.code == 2
    assert found.err.startswith("wirebook: ") or "could not be checked" in found.out
    assert "Traceback" not in found.err


def test_a_ref_that_is_not_there(repo: Repo, check: Run) -> None:
    for arguments in (["--against", "v9"], ["--against", "v9..HEAD"], ["--staged", "--against", "v9"],
                      ["--branch", "v9"], ["--released", "v9"], ["--released", "v*"]):  # fmt: skip
        found = check(repo.folder, *arguments)
        assert (found.code, found.out) == (2, "")
        assert "v9" in found.err or "v*" in found.err


# -- the repository -------------------------------------------------------------------------------


def test_a_text_that_is_lost(repo: Repo, check: Run) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken())
    repo.spec(api_versions("request", fields=[]))
    repo.git("add", "-A")
    repo.lose(f"HEAD:{PATH}")
    for arguments in (["--against", "HEAD"], ["--staged"]):
        found = check(repo.folder, *arguments, "--format", "json")
        assert found.code == 2
        assert ["is missing or damaged" in line for line in unchecked(found.out)] == [True]
        assert found.rules == ["field-removed-from-released-version"]


def test_a_staged_text_that_is_lost(repo: Repo, check: Run) -> None:
    repo.spec(broken())
    repo.git("add", "-A")
    repo.lose(f":{PATH}")
    found = check(repo.folder, "--staged", "--format", "json")
    assert (found.code, found.rules) == (2, [])
    assert ["is missing or damaged" in line for line in unchecked(found.out)] == [True]


def test_a_folder_that_is_lost(repo: Repo, check: Run) -> None:
    repo.spec(broken())
    repo.git("add", "-A")
    repo.lose(f"HEAD:{FOLDER}")
    for arguments in (["--against", "HEAD"], ["--staged"]):
        assert check(repo.folder, *arguments).code == 2


def test_a_release_that_is_lost(repo: Repo, check: Run) -> None:
    repo.git("tag", "1.0.0")
    repo.spec(request(validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    repo.commit()
    repo.git("tag", "1.1.0")
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken() | {"validVersions": "0-3"})
    released = ("--released", "[0-9]*", "--format", "json")
    assert check(repo.folder, *released).code == 1
    (repo.folder / ".git/refs/tags/1.0.0").write_text("1" * 40 + "\n")
    found = check(repo.folder, *released)
    assert found.code == 2
    assert [line.startswith("1.0.0: the object of the tag") for line in unchecked(found.out)] == [True]
    assert found.rules == ["type-changed"]
    # A tag that was never a release is no gap.
    repo.git("tag", "-f", "1.0.0", f"HEAD:{PATH}")
    found = check(repo.folder, *released)
    assert (found.code, unchecked(found.out)) == (1, [])
    assert "the tag 1.0.0 is not a release: it does not name a commit" in json.loads(found.out)["notices"]


def test_a_text_of_a_release_that_is_lost(repo: Repo, check: Run) -> None:
    repo.git("tag", "1.0.0")
    repo.spec(request(validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    repo.commit()
    repo.lose(f"1.0.0:{PATH}")
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken() | {"validVersions": "0-3"})
    found = check(repo.folder, "--released", "[0-9]*", "--format", "json")
    assert found.code == 2
    assert [line.startswith("1.0.0: ") for line in unchecked(found.out)] == [True]


def test_files_in_a_damaged_repository_are_not_judged_as_if_in_none(repo: Repo, check: Run) -> None:
    repo.spec(broken())
    (repo.folder / ".git").rename(repo.folder / "away")
    assert check(repo.folder).code == 0
    (repo.folder / ".git").mkdir()
    for arguments in ([], ["--staged"], ["--against", "HEAD"]):
        found = check(repo.folder / FOLDER, *arguments)
        assert (found.code, found.out) == (2, "")
        assert "is not a git repository, or a damaged one" in found.err
    (repo.folder / ".git").rmdir()
    (repo.folder / ".git").write_text("gitdir: nowhere\n")
    found = check(repo.folder)
    assert (found.code, found.out) == (2, "")
    assert "which is not a git repository" in found.err


@pytest.mark.parametrize("head", ["rubbish\n", "1" * 40 + "\n", ""])
def test_a_damaged_head(repo: Repo, check: Run, head: str) -> None:
    repo.spec(broken())
    repo.git("add", "-A")
    (repo.folder / ".git/HEAD").write_text(head)
    for arguments in ([], ["--staged"]):
        assert check(repo.folder, *arguments).code == 2


def test_no_git_to_read_a_repository_with(
    repo: Repo, check: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.spec(broken())
    monkeypatch.setenv("PATH", str(tmp_path))
    for arguments in ([], ["--staged"]):
        found = check(repo.folder, *arguments)
        assert found.code == 2
        assert "there is none on PATH" in found.err


def test_locks_of_git_are_left_alone(repo: Repo, check: Run) -> None:
    repo.spec(broken())
    repo.git("add", "-A")
    locks = [
        repo.folder / ".git" / name for name in ("index.lock", "HEAD.lock", "packed-refs.lock", "config.lock")
    ]
    for lock in locks:
        lock.touch()
    assert check(repo.folder, "--staged").code == 1
    assert check(repo.folder, "--against", "HEAD").code == 1
    assert all(lock.exists() for lock in locks)


@pytest.mark.parametrize("index", [b"", b"DIRC", b"rubbish" * 20])
def test_a_damaged_index(repo: Repo, check: Run, index: bytes) -> None:
    repo.spec(broken())
    repo.git("add", "-A")
    (repo.folder / ".git/index").write_bytes(index)
    for arguments in ([], ["--staged"]):
        found = check(repo.folder, *arguments)
        # An empty index is whole to git: everything is deleted in it.
        assert found.code == (2 if index else found.code)
        assert found.code in (1, 2)


# -- files that are none --------------------------------------------------------------------------


def test_pipes_devices_and_links_are_not_opened(repo: Repo, check: Run) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken())
    folder = repo.folder / FOLDER
    os.mkfifo(folder / "PipeRequest.json")
    for name, target in (("Zero", "/dev/zero"), ("Gone", "nowhere.json"), ("Loop", "LoopRequest.json")):
        (folder / f"{name}Request.json").symlink_to(target)
    (folder / "around").symlink_to(".")
    found = check(repo.folder, "--format", "json")
    assert (found.code, found.rules) == (1, ["type-changed"])


@pytest.mark.parametrize("instead", ["link", "folder", "pipe"])
def test_a_spec_that_becomes_something_else_is_gone(repo: Repo, check: Run, instead: str) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    place = repo.folder / PATH
    place.unlink()
    made: dict[str, Callable[[], object]] = {
        "link": lambda: place.symlink_to("/etc/hostname"),
        "folder": place.mkdir,
        "pipe": lambda: os.mkfifo(place),
    }
    made[instead]()
    assert check(repo.folder, "--format", "json").rules == ["message-deleted"]


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "gitlab", "markdown"])
def test_every_format_says_what_could_not_be_checked(repo: Repo, check: Run, form: str) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.write(PATH, "{")
    found = check(repo.folder, "--format", form)
    assert found.code == 2
    assert "FetchRequest.json" in found.out
    assert "expected a key in double quotes" in " ".join(found.out.split())


@pytest.mark.long
def test_ten_thousand_findings(repo: Repo, check: Run, tmp_path: Path) -> None:
    # Edits are searched for in 6,000 fields of a message at most.
    def write(kind: str) -> None:
        for key, name, numbers in (
            (1, "FetchRequest", range(5_000)),
            (2, "QueryRequest", range(5_000, 10_000)),
        ):
            fields = [{"name": f"F{n}", "type": kind, "versions": "0+", "about": "x"} for n in numbers]
            repo.spec(request(apiKey=key, name=name, fields=fields))

    write("int32")
    repo.commit()
    write("int64")
    for form in ("text", "sarif", "markdown"):
        target = tmp_path / f"report.{form}"
        found = check(repo.folder, "--against", "HEAD", "--format", form, "--output", str(target))
        assert found.code == 1
        assert "10000 errors" in found.err
        text = target.read_text(encoding="utf-8")
        assert "F0" in text
        # A comment on a pull request has an end; what a program reads is whole.
        assert ("F9999" in text) == (form != "markdown")


@pytest.mark.share(3)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
@pytest.mark.parametrize("change", [request(), broken()], ids=["clean", "broken"])
@pytest.mark.parametrize(
    ("redirection", "code"),
    [
        (">&-", 2), (">/dev/full", 2), (">&- 2>&-", 2), (">/dev/full 2>/dev/full", 2), (">/dev/full 2>&-", 2),
        (">/dev/null 2>&-", None), (">/dev/null 2>/dev/full", None), ("<&- >/dev/null", None),
        ("--output /dev/full", 2), ("--output no/report", 2), ("--output .", 2),
        ("--output /dev/null", None), ("--output report >/dev/full", None),
    ],
)  # fmt: skip
def test_output_that_goes_nowhere(
    repo: Repo, change: dict[str, Any], redirection: str, code: int | None
) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(change)
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m wirebook.cli.main check {redirection}'],
        cwd=repo.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    findings = int(change != request())
    assert done.returncode == (findings if code is None else code)
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits files there in another way")
def test_a_report_that_does_not_fit_leaves_the_last_one(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken())
    report = repo.write("report", "the last one")
    done = subprocess.run(
        [
            "sh",
            "-c",
            f'ulimit -f 1; exec "{sys.executable}" -m wirebook.cli.main check --format sarif --output report',
        ],
        cwd=repo.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"too large" in done.stderr
    assert report.read_text() == "the last one"
    assert [path.name for path in repo.folder.iterdir() if "report" in path.name] == ["report"]


def test_absolute_names_without_git(tmp_path: Path, check: Run) -> None:
    folder = tree(tmp_path / "specs", text_of(request(name="fetch_request")))
    for name in (str(folder), str(folder / "FetchRequest.json"), "specs", "specs/FetchRequest.json", "."):
        found = check(tmp_path, name, "--format", "json")
        assert (found.code, found.rules) == (1, ["bad-name"]), name


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return started(tmp_path / "repo")
