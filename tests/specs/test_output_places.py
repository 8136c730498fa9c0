"""Outputs and the folders around them: which are exchanged, which stay, and what an error names."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.specs.output_folders import NEW, OLD, OTHERS, build, fill, held, used
from wirebook.specs import output
from wirebook.specs.output import (
    AUDIT,
    LIST,
    SCHEMA,
    SITE,
    all_replaced,
    check_output,
    exchange,
    owned,
    replaced,
)
from wirebook.specs.problems import InputError


def test_two_folders_swap_their_names(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    fill(one, {"a": "1"})
    fill(other, {"b": "2"})
    assert exchange(one, other)
    assert (held(one), held(other)) == ({"b": "2"}, {"a": "1"})
    assert not exchange(one, tmp_path / "none")
    assert (held(one), (tmp_path / "none").exists()) == ({"b": "2"}, False)


@pytest.mark.parametrize(
    ("platform", "function", "given"),
    [
        ("darwin", "renamex_np", (b"/a", b"/b", 2)),
        ("linux", "renameat2", (-100, b"/a", -100, b"/b", 2)),
        ("win32", "renamex_np", None),
    ],
)
@pytest.mark.parametrize("result", [0, -1])
def test_each_system_has_its_own_function(
    platform: str, function: str, given: tuple[Any, ...] | None, result: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[Any, ...]] = []

    def renamed(*values: Any) -> int:
        calls.append(tuple(getattr(value, "value", value) for value in values))
        return result

    monkeypatch.setattr(ctypes, "CDLL", lambda name, use_errno: SimpleNamespace(**{function: renamed}))
    monkeypatch.setattr(sys, "platform", platform)
    assert exchange(Path("/a"), Path("/b")) is (given is not None and result == 0)
    assert calls == ([] if given is None else [given])
    # A library without the function, or none at all, cannot.
    monkeypatch.setattr(ctypes, "CDLL", lambda name, use_errno: SimpleNamespace())
    assert not exchange(Path("/a"), Path("/b"))


@pytest.mark.parametrize(
    ("listed", "files"),
    [
        ({"schema": SCHEMA, "kind": SITE, "files": ["a", "b/c"]}, {"a", "b/c", LIST}),
        ({"schema": SCHEMA, "kind": SITE, "files": []}, {LIST}),
        ({"schema": SCHEMA, "kind": AUDIT, "files": ["a"]}, None),
        ({"schema": "wirebook/files/2", "kind": SITE, "files": ["a"]}, None),
        ({"schema": SCHEMA, "kind": SITE}, None),
        ({"schema": SCHEMA, "kind": SITE, "files": {"a": 1}}, None),
        ({"schema": SCHEMA, "kind": SITE, "files": ["a", 1]}, None),
        ({"schema": SCHEMA, "kind": SITE, "files": ["a\\b"]}, None),
        ({"schema": SCHEMA, "kind": SITE, "files": ["./a"]}, None),
        ([], None),
    ],
)
def test_the_files_of_an_output_are_those_that_its_list_names(
    listed: object, files: set[str] | None, tmp_path: Path
) -> None:
    (tmp_path / LIST).write_text(json.dumps(listed))
    assert owned(tmp_path, SITE) == files


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\xff"])
def test_a_list_that_is_no_json_names_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / LIST).write_bytes(text.encode("latin-1"))
    assert owned(tmp_path, SITE) is None
    assert owned(tmp_path / "none", SITE) is None


def test_what_cannot_be_an_output_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError) as caught:
            check_output(path, SITE)
        assert str(caught.value) == f"{tmp_path}/file: is not a folder; the output needs its own folder"
    check_output(tmp_path / "new" / "deep", SITE)
    fill(tmp_path / "mine", {"b": "", "a": "", ".hidden": "", "CNAME": ""})
    with pytest.raises(InputError) as caught:
        check_output(tmp_path / "mine", SITE)
    assert str(caught.value) == (
        f'{tmp_path}/mine: holds other files ("a"), which do not belong to a wirebook site; '
        "choose an empty folder for the output"
    )
    assert not (tmp_path / "new").exists()


def test_the_mode_of_a_folder_stays_and_a_new_one_has_the_usual(tmp_path: Path) -> None:
    target = tmp_path / "site"
    build(target, OLD)
    assert stat.S_IMODE(target.stat().st_mode) == 0o755
    target.chmod(0o750)
    build(target, NEW)
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    (target / "mine").mkdir(mode=0o711)
    fill(target, {"mine/a": "1"})
    build(target, OLD)
    assert stat.S_IMODE((target / "mine").stat().st_mode) == 0o711


@pytest.mark.parametrize("reason", ["mount", "device", "access", "user", "working folder", "nothing"])
def test_a_folder_stays_itself_if_it_must(
    reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "site"
    build(target, OLD)
    number = target.stat().st_ino
    real, access = Path.stat, os.access
    if reason == "mount":
        monkeypatch.setattr(os.path, "ismount", lambda path: str(path) == str(target))
    elif reason == "device":

        def other(self: Path, **named: Any) -> Any:
            found = real(self, **named)
            if self != target:
                return found
            return SimpleNamespace(st_dev=found.st_dev + 1, st_uid=found.st_uid, st_mode=found.st_mode)

        monkeypatch.setattr(Path, "stat", other)
    elif reason == "access":
        monkeypatch.setattr(os, "access", lambda path, how: path != tmp_path and access(path, how))
    elif reason == "user":
        monkeypatch.setattr(os, "geteuid", lambda: -1)
    elif reason == "working folder":
        (target / "api").mkdir(exist_ok=True)
        monkeypatch.chdir(target / "api")
    build(target, NEW)
    monkeypatch.undo()
    assert held(target) == NEW
    assert (target.stat().st_ino == number) is (reason != "nothing")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.parametrize(
    ("error", "where", "file"),
    [
        (lambda made: OSError(errno.EIO, "broken", str(made[1] / "b" / "c")), "audit", ' (the file "b/c")'),
        (lambda made: OSError(errno.EIO, "broken", str(made[0] / "a")), "site", ' (the file "a")'),
        (lambda made: OSError(errno.EIO, "broken", os.fsencode(made[0] / "a")), "site", ' (the file "a")'),
        (lambda made: OSError(errno.EIO, "broken", str(made[0])), "site", ""),
        (lambda made: OSError(errno.EIO, "broken", "/elsewhere"), "audit", ' (the file "/elsewhere")'),
        # The file that was written last, where the error names none.
        (lambda made: OSError(errno.EIO, "broken"), "site", ' (the file "new")'),
        (lambda made: OSError("broken"), "site", ' (the file "new")'),
    ],
)
def test_an_error_is_that_of_a_folder_and_a_file(error: Any, where: str, file: str, tmp_path: Path) -> None:

    def broken() -> None:
        with all_replaced((tmp_path / "site", SITE), (tmp_path / "audit", AUDIT)) as made:
            fill(made[1], {"old": ""})
            fill(made[0], {"new": ""})
            os.utime(made[1] / "old", (1, 1))
            raise error(made)

    with pytest.raises(InputError) as caught:
        broken()
    assert str(caught.value) == f"{tmp_path}/{where}: cannot be written: broken{file}"
    assert list(tmp_path.iterdir()) == []


def test_without_any_file_the_last_folder_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError) as caught,
        all_replaced((tmp_path / "site", SITE), (tmp_path / "audit", AUDIT)),
    ):
        raise OSError(errno.EIO, "broken")
    assert str(caught.value) == f"{tmp_path}/audit: cannot be written: broken"


@pytest.mark.parametrize("way", ["exchanged", "merged"])
@pytest.mark.parametrize(
    ("new", "mine", "is_refused"),
    [
        ({"a/b": "ours"}, {"a": "mine"}, True),
        ({"a": "ours"}, {"a/b": "mine"}, True),
        ({"a": "ours"}, {"gone/page.html": "mine"}, False),
        ({"gone": "ours"}, {}, False),
        ({"gone": "ours"}, {"gone/mine": "mine"}, True),
        ({"gone/page.html/x": "ours"}, {}, False),
        ({"a/b": "ours"}, {"a/c": "mine"}, False),
    ],
)
def test_a_folder_gives_way_to_a_file_only_if_all_in_it_is_ours(
    new: dict[str, str],
    mine: dict[str, str],
    is_refused: bool,
    way: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = tmp_path / "site"
    build(target, OLD)
    fill(target, mine)
    if way == "merged":
        monkeypatch.setattr(output, "exchange", lambda *_: False)
    before = held(target)
    if is_refused:
        with pytest.raises(
            InputError, match="was not written by wirebook, and the output has a file of this name"
        ):
            build(target, new)
        assert held(target) == before
    else:
        build(target, new)
        assert held(target) == {path: text for path, text in mine.items() if path not in OLD} | new


def test_only_folders_of_dead_runs_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "is_running", lambda pid: pid == 7)
    names = [
        ".site.wirebook-8-x", ".site.wirebook-8-x_old", ".site.wirebook-7-x", ".other.wirebook-8-x",
        ".wirebook-8-x", ".site.wirebook-x-8", "site.wirebook-8-x",
    ]  # fmt: skip
    for name in names:
        fill(tmp_path / name, {"a": ""})
    (tmp_path / ".site.wirebook-8-file").write_text("")
    (tmp_path / ".site.wirebook-8-link").symlink_to(tmp_path / names[3])
    fill(tmp_path / "site", {".wirebook-8-inside/a": "", ".x.wirebook-8-inside/a": ""})
    build(tmp_path / "site", NEW)
    kept = {*names[2:], ".site.wirebook-8-file", ".site.wirebook-8-link", "site"}
    assert {path.name for path in tmp_path.iterdir()} == kept
    assert held(tmp_path / "site") == NEW | {".x.wirebook-8-inside/a": ""}
    assert (tmp_path / names[3] / "a").exists()


def test_a_mount_within_the_output_is_not_exchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = used(tmp_path)
    real = os.path.ismount
    monkeypatch.setattr(os.path, "ismount", lambda path: str(path).endswith("/mine") or real(path))
    number = (target / "CNAME").stat().st_ino
    before = target.stat().st_ino
    build(target, NEW)
    assert held(target) == NEW | OTHERS
    assert (target.stat().st_ino, (target / "CNAME").stat().st_ino) == (before, number)


def test_without_links_files_of_others_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = used(tmp_path)

    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    (target / "alias").symlink_to("CNAME")
    monkeypatch.setattr(os, "link", link)
    for _ in range(2):
        build(target, NEW)
        assert held(target) == NEW | OTHERS | {"alias": OTHERS["CNAME"]}
        assert (target / "link").readlink() == Path("nowhere")
        assert (target / "alias").readlink() == Path("CNAME")
    (target / "alias").unlink()
    monkeypatch.setattr(output, "exchange", lambda *_: False)
    with replaced(target, SITE) as folder:
        fill(folder, OLD)
    assert held(target) == OLD | OTHERS
