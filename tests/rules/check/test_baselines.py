"""What is kept of baselines between two checks: safe with several at once, and where it cannot be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from tests.repositories import Repo, request, response
from tests.rules.check.running import Run, on_branch
from tests.support import ROOT
from wirebook.cli.main import main
from wirebook.rules.check.baselines import KEPT

COMMAND = [sys.executable, "-m", "wirebook.cli.main", "check", "--format", "json"]
RELEASED = ("--released", "[0-9]*")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Three releases, and a branch that breaks what they froze."""
    made = Repo(tmp_path / "repo")
    for number in range(3):
        made.spec(request(validVersions=f"0-{number}"))
        made.spec(response(validVersions=f"0-{number}"))
        made.git("add", "-A")
        made.git("commit", "-q", "-m", f"Version {number}")
        made.git("tag", f"1.{number}.0")
    on_branch(made).spec(request(fields=[]))
    return made


def started(repo: Repo, cache: Path, *more: str) -> subprocess.Popen[bytes]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.Popen(
        [*COMMAND, *(more or RELEASED)],
        cwd=repo.folder,
        env={**kept, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def outcomes(repo: Repo, cache: Path, times: int, *more: str) -> set[tuple[int, bytes, bytes]]:
    """What several checks at once say."""
    running = [started(repo, cache, *more) for _ in range(times)]
    said = [process.communicate() for process in running]
    return {(process.returncode, out, err) for process, (out, err) in zip(running, said, strict=True)}


def test_checks_at_once_share_a_cache(repo: Repo, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    ((code, out, err),) = outcomes(repo, cache, 4)
    assert (code, err) == (1, b"")
    assert b'"released_in": "1.0.0"' in out
    (kept,) = (cache / "wirebook").iterdir()
    # Each finds the damage, reads anew and keeps what it read; whoever comes later finds one or the other.
    for damage in (b"", kept.read_bytes()[:-1], kept.read_bytes() * 2):
        kept.write_bytes(damage)
        assert outcomes(repo, cache, 2) == {(code, out, err)}
        assert list((cache / "wirebook").iterdir()) == [kept]


def test_other_releases_are_kept_apart(repo: Repo, tmp_path: Path, check: Run) -> None:
    before = check(repo.folder, "--format", "json", *RELEASED).out
    repo.git("tag", "-d", "1.0.0")
    after = check(repo.folder, "--format", "json", *RELEASED).out
    assert '"released_in": "1.0.0"' in before
    assert '"released_in": "1.0.0"' not in after
    assert '"released_in": "1.1.0"' in after
    assert len(list((tmp_path / "cache" / "wirebook").iterdir())) == 2


def test_the_oldest_are_dropped(repo: Repo, tmp_path: Path, check: Run) -> None:
    folder = tmp_path / "cache" / "wirebook"
    folder.mkdir(parents=True)
    for number in range(KEPT + 2):
        path = folder / f"{number}.baselines"
        path.write_text("{}")
        os.utime(path, (1000 + number, 1000 + number))
    assert check(repo.folder, *RELEASED).code == 1
    kept = {path.name for path in folder.iterdir()}
    assert len(kept) == KEPT
    assert {path for path in kept if len(path) < 20} == {
        f"{number}.baselines" for number in range(3, KEPT + 2)
    }


def test_a_release_that_two_globs_name_counts_once(repo: Repo, check: Run) -> None:
    once = check(repo.folder, "--format", "json", *RELEASED)
    twice = check(repo.folder, "--format", "json", *RELEASED, "--released", "1.*")
    assert (twice.code, twice.out, twice.err) == (1, once.out, "")
    assert "3 releases (1.0.0 to 1.2.0)" in once.out


def test_the_words_of_the_newest_release_count(repo: Repo, check: Run) -> None:
    """The old side is of a time before the word, whatever order the releases are named in."""
    repo.git("checkout", "-q", "main")
    for number, words in ((3, ["zkBroker"]), (4, ["broker"])):
        repo.spec(request(apiKey=901, name="BarRequest", listeners=words), "BarRequest.json")
        repo.git("add", "-A")
        repo.git("commit", "-q", "-m", f"Version {number}")
        repo.git("tag", f"1.{number}.0")
    repo.git("checkout", "-q", "-f", "-b", "again", "1.2.0")
    repo.write("profile.toml", 'extends = "kafka"\n')
    repo.commit("profile")
    repo.spec(request(validVersions="0-2", listeners=["zkBroker"]))
    for named, unknown in (("1.[0-3].*", False), ("1.*", True), ("1.3.0", False)):
        more = ("--released", named, "--released", "1.0.0")
        found = check(repo.folder, "--format", "json", *more)
        assert found.err == ""
        assert ('"unknown-listener"' in found.out) == unknown


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_ours_to_write(repo: Repo, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o500)
    ((code, _, err),) = outcomes(repo, cache, 2)
    assert (code, err) == (1, b"")
    assert list(cache.iterdir()) == []


def test_a_cache_that_is_a_dead_link(repo: Repo, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.symlink_to(tmp_path / "nowhere" / "at-all")
    ((code, _, err),) = outcomes(repo, cache, 2)
    assert (code, err) == (1, b"")


@pytest.fixture
def kept(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """The file of a cache that a check has filled; `capsys` has what it printed."""
    monkeypatch.chdir(repo.folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert main(COMMAND[3:] + list(RELEASED)) == 1
    (found,) = (tmp_path / "cache" / "wirebook").iterdir()
    return found


def is_read(kept: Path) -> bool:
    """Whether a further check uses the file; otherwise it replaces it."""
    before = kept.stat().st_ino
    assert main(COMMAND[3:] + list(RELEASED)) == 1
    return kept.stat().st_ino == before


def test_a_second_check_reads_what_the_first_has_kept(kept: Path) -> None:
    assert is_read(kept)


def forged(kept: Path) -> None:
    """Leave out the releases, with a checksum that is right."""
    head, _, body = kept.read_bytes().partition(b"\n")
    schema, key, _ = head.split()
    body = body.partition(b"\n")[0]
    kept.write_bytes(b"%s %s %s\n%s" % (schema, key, sha256(body).hexdigest().encode(), body))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
@pytest.mark.parametrize("mode", [0o602, 0o620, 0o622, 0o666])
def test_what_others_may_write_is_not_read(kept: Path, mode: int, capsys: pytest.CaptureFixture[str]) -> None:
    first = capsys.readouterr().out
    forged(kept)
    kept.chmod(mode)
    assert not is_read(kept)
    assert capsys.readouterr().out == first
    # What replaces it may be read again.
    assert kept.stat().st_mode & 0o022 == 0
    assert is_read(kept)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_what_belongs_to_others_is_not_read(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = capsys.readouterr().out
    forged(kept)
    os.chown(kept, 65534, 65534)
    assert not is_read(kept)
    assert capsys.readouterr().out == first


def test_the_text_of_another_key_is_not_read(kept: Path) -> None:
    head, _, body = kept.read_bytes().partition(b"\n")
    schema, key, digest = head.split()
    kept.write_bytes(b"%s %s %s\n%s" % (schema, key[::-1], digest, body))
    assert not is_read(kept)
