"""Every command means the same specs, from every folder, and says the same about what it cannot use."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.repositories import Repo, request, response
from wirebook.cli.main import main
from wirebook.docgen.pipeline.inputs import gather
from wirebook.docgen.request import BuildRequest

DIVE = request(name="DiveRequest", apiKey=3, listeners=["gateway"])
BOTH = {"DiveRequest", "DiveResponse"}
PLACES = ("", "protocol", "docs", "docs/deep")

Means = Callable[[pytest.CaptureFixture[str]], set[str]]


def show(capsys: pytest.CaptureFixture[str]) -> set[str]:
    assert main(["show", "Dive", "--format", "json"]) == 0
    return {json.loads(line)["message"] for line in capsys.readouterr().out.splitlines()}


def export(capsys: pytest.CaptureFixture[str]) -> set[str]:
    assert main(["export"]) == 0
    return {json.loads(line)["message"] for line in capsys.readouterr().out.splitlines()}


def check(capsys: pytest.CaptureFixture[str]) -> set[str]:
    main(["check", "--all", "--against", "HEAD"])
    assert re.search(r"^(no findings|.* warnings?) in 2 messages$", capsys.readouterr().out, re.MULTILINE)
    return BOTH


def new(capsys: pytest.CaptureFixture[str]) -> set[str]:
    assert main(["new", "request", "Surface"]) == 0
    written = re.findall(r"wrote (\S+)", capsys.readouterr().out)
    for path in written:
        assert Path(path.rstrip(",")).resolve().parent.name == "protocol"
        Path(path.rstrip(",")).unlink()
    return BOTH


def build(_: pytest.CaptureFixture[str]) -> set[str]:
    return {Path(path).stem for path, _ in gather(BuildRequest.of(None)).texts.values()}


COMMANDS: tuple[Means, ...] = (show, export, check, new, build)


@pytest.fixture
def otter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = Repo(tmp_path / "otter")
    repo.write("protocol/DiveRequest.json", json.dumps(DIVE))
    repo.write("protocol/DiveResponse.json", json.dumps(response(name="DiveResponse", apiKey=3)))
    repo.write("docs/deep/note.txt", "no spec")
    repo.commit("first")
    monkeypatch.chdir(repo.folder)
    return repo


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("means", COMMANDS, ids=lambda means: means.__name__)
@pytest.mark.parametrize("above", ["repository", "a stray .git between", "a configuration"])
def test_a_command_means_the_same_specs_in_every_folder(
    means: Means,
    place: str,
    above: str,
    otter: Repo,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if above == "a stray .git between":
        (otter.folder / "docs" / ".git").mkdir()
        (otter.folder / "protocol" / ".git").mkdir()
    if above == "a configuration":
        otter.spec({**DIVE, "name": "WaveRequest", "apiKey": 9}, "vendored")
        otter.write("wirebook.toml", 'paths = ["protocol"]\n')
        otter.commit("second")
    monkeypatch.chdir(otter.folder / place)
    assert means(capsys) == BOTH


# Where installed packages and what git ignores bring specs of others, each with what makes it such a place.
OF_OTHERS = {
    "venv/lib/python3.11/specs": {},
    ".venv/lib/python3.11/specs": {},
    "tool/venv/share": {},
    "lib/site-packages/kafka/protocol": {},
    "web/node_modules/kafka": {},
    "env/share/specs": {"env/pyvenv.cfg": "home = /usr/bin\n"},
    "downloads/deep": {".gitignore": "downloads/\n"},
    "cache": {"cache/.gitignore": "*Request.json\n"},
    "spare": {".git/info/exclude": "spare\n"},
}


@pytest.mark.share(4)
@pytest.mark.parametrize("place", ["", "docs"])
@pytest.mark.parametrize("folder", OF_OTHERS)
@pytest.mark.parametrize("means", COMMANDS, ids=lambda means: means.__name__)
def test_specs_of_installed_packages_and_ignored_ones_are_not_those_here(
    means: Means,
    folder: str,
    place: str,
    otter: Repo,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # The same API key twice: a command that reads both is refused.
    otter.spec({**DIVE, "name": "WaveRequest"}, folder)
    for path, text in OF_OTHERS[folder].items():
        otter.write(path, text)
    monkeypatch.chdir(otter.folder / place)
    assert means(capsys) == BOTH


def test_tracked_specs_count_even_where_git_ignores_others(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write(".gitignore", "protocol/\n")
    assert export(capsys) == BOTH


def test_a_folder_of_ignored_specs_is_read_where_it_is_named(
    otter: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write(".gitignore", "downloads/\nspare/*.json\n")
    for folder in ("downloads/venv", "spare"):
        otter.spec({**DIVE, "name": "WaveRequest"}, folder)
        assert main(["export", f"./{folder}"]) == 0
        assert '"WaveRequest"' in capsys.readouterr().out
    # Settings in an ignored folder are as explicit as its name.
    otter.write("downloads/wirebook.toml", "")
    otter.spec({**DIVE, "name": "WaveRequest"}, "downloads/specs")
    monkeypatch.chdir(otter.folder / "downloads")
    assert export(capsys) == {"WaveRequest"}


def test_without_git_all_specs_below_the_folder_are_those_here(
    otter: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write(".gitignore", "downloads/\n")
    otter.spec({**DIVE, "name": "WaveRequest", "apiKey": 9}, "downloads")
    monkeypatch.setenv("PATH", "")
    assert export(capsys) == BOTH | {"WaveRequest"}


ARGUMENTS: tuple[Sequence[str], ...] = (
    ("show", "Dive"),
    ("export",),
    ("check", "--all"),
    ("new", "request", "Surface"),
    ("build",),
    ("decode", "DiveRequest", "0"),
)


def refused(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> str:
    code = main(list(arguments))
    done = capsys.readouterr()
    assert (code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    return line


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda arguments: arguments[0])
def test_a_repository_without_git_in_its_folder_is_refused_by_all(
    arguments: Sequence[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "DiveRequest.json").write_text(json.dumps(DIVE))
    monkeypatch.chdir(tmp_path)
    line = refused(capsys, arguments)
    assert line.endswith(f"{tmp_path / '.git'}: is not a git repository, or a damaged one")


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda arguments: arguments[0])
def test_two_settings_files_in_a_folder_are_refused_by_all(
    arguments: Sequence[str], otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("wirebook.toml", "")
    otter.write("pyproject.toml", '[project]\nname = "otter"\n[tool.wirebook]\n')
    line = refused(capsys, arguments)
    assert line.endswith(
        "pyproject.toml: wirebook.toml in the same folder has settings, too: keep one of the two"
    )
    otter.write("pyproject.toml", '[project]\nname = "otter"\n')
    assert main(["export"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [each for each in ARGUMENTS if each[0] != "check"],
    ids=lambda arguments: arguments[0],
)
def test_a_protocol_that_does_not_exist_is_refused_by_all(
    arguments: Sequence[str], otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert otter.folder.is_dir()
    line = refused(capsys, [*arguments, "--protocol", "whale"])
    assert 'there is no protocol "whale" in the specs here; it has one protocol' in line


@pytest.mark.parametrize("arguments", [("show", "Heartbeat"), ("export", "--api", "Heartbeat")])
def test_the_embedded_specs_are_never_used_in_silence(
    arguments: Sequence[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(list(arguments)) == 0
    done = capsys.readouterr()
    assert "Heartbeat" in done.out
    assert done.err == "wirebook: no specs here: these are the embedded specs of Kafka\n"


def test_a_repository_inside_another_has_its_own_specs(
    otter: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = Repo(otter.folder / "docs" / "inner")
    inner.spec({**DIVE, "name": "WaveRequest", "apiKey": 9}, "protocol")
    (inner.folder / "deep").mkdir()
    monkeypatch.chdir(inner.folder / "deep")
    assert export(capsys) == {"WaveRequest"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
@pytest.mark.parametrize("means", COMMANDS, ids=lambda means: means.__name__)
def test_a_home_that_nobody_may_write_is_no_matter(
    means: Means,
    otter: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert otter.folder.is_dir()
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert means(capsys) == BOTH


@pytest.mark.parametrize("released", ['"[0-9]*"', '["v*", "[0-9]*"]', '"none"', '"../released"'])
def test_a_new_api_does_not_get_the_key_of_a_released_one(
    tmp_path: Path, released: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its spec is no longer in the working tree; "v*" names no tag."""
    repo = Repo(tmp_path / "repo")
    repo.write("wirebook.toml", f"released = {released}\n")
    repo.spec(request(), "specs")
    repo.spec(request(name="SeekRequest", apiKey=7), "specs")
    repo.spec(request(name="PushRequest", apiKey=9), "other/test")
    repo.commit()
    repo.git("tag", "1.0.0")
    shutil.copytree(repo.folder / "specs", tmp_path / "released")
    (repo.folder / "specs/SeekRequest.json").unlink()
    monkeypatch.chdir(repo.folder / "specs")
    assert main(["new", "request", "Surface"]) == 0
    assert "wrote SurfaceRequest.json, API key 8" in capsys.readouterr().out


def test_a_new_api_gets_a_key_of_its_own_protocol(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.write(
        "wirebook.toml",
        'released = "[0-9]*"\n'
        + "".join(f'[[protocol]]\nname = "{name}"\npaths = ["{name}"]\n' for name in ("one", "two")),
    )
    for folder, key in (("one", 1), ("one", 7), ("two", 3), ("two", 20)):
        repo.spec(request(name=f"Seek{key}Request", apiKey=key), folder)
    repo.commit()
    repo.git("tag", "1.0.0")
    for path in ("one/Seek7Request.json", "two/Seek20Request.json"):
        (repo.folder / path).unlink()
    monkeypatch.chdir(repo.folder)
    assert main(["new", "request", "Surface", "--protocol", "one"]) == 0
    assert "API key 8" in capsys.readouterr().out
