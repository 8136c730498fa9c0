"""An output takes the place of the last one, and no file of others is lost, wherever a run ends."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.specs.output_folders import NEW, OLD, OTHERS, build, fill, held, used
from wirebook.specs import output
from wirebook.specs.output import AUDIT, LIST, SITE, all_replaced, check_output, owned, replaced
from wirebook.specs.problems import InputError


def no_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "exchange", lambda *_: False)


def as_it_is(_: pytest.MonkeyPatch) -> None:
    pass


def mounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the folder were a mount point: its name cannot be changed."""
    monkeypatch.setattr(output, "_stays", lambda place: place.is_dir())


WAYS = pytest.mark.parametrize("way", [as_it_is, no_exchange, mounted])


@WAYS
def test_files_of_others_stay_and_only_ours_are_removed(
    way: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = used(tmp_path)
    number = (target / "CNAME").stat().st_ino
    way(monkeypatch)
    for _ in range(2):
        build(target, NEW)
        assert held(target) == NEW | OTHERS
        assert (target / ".git/refs").is_dir()
        assert (target / "link").readlink() == Path("nowhere")
        assert (target / "CNAME").stat().st_ino == number
        assert not (target / "gone").exists()
        assert owned(target, SITE) == frozenset((*NEW, LIST))
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@WAYS
def test_a_file_turns_into_a_folder_and_back(
    way: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way(monkeypatch)
    for files in ({"a": "file"}, {"a/b": "within"}, {"a": "file"}):
        build(tmp_path / "site", files)
        assert held(tmp_path / "site") == files


@pytest.mark.parametrize("name", ["index.html", ".wirebook-site", "manifest.json", LIST])
def test_a_folder_that_no_output_of_ours_is_in_is_refused_before_the_work(name: str, tmp_path: Path) -> None:
    fill(tmp_path, {name: '{"schema": "wirebook/manifest/1"}', "thesis.txt": "years of work"})
    before = held(tmp_path)
    with pytest.raises(InputError, match="holds other files"), replaced(tmp_path, SITE):
        pytest.fail("the block must not run")
    assert held(tmp_path) == before


@pytest.mark.parametrize("path", ["../thesis.txt", "/etc/passwd", "a/../../thesis.txt", "", "a//b", "\0"])
def test_a_list_of_files_outside_counts_for_nothing(path: str, tmp_path: Path) -> None:
    fill(tmp_path, {"thesis.txt": "years of work", "site/index.html": "mine"})
    listed = {"schema": output.SCHEMA, "kind": SITE, "files": ["index.html", path]}
    (tmp_path / "site" / LIST).write_text(json.dumps(listed))
    with pytest.raises(InputError, match="holds other files"):
        build(tmp_path / "site", NEW)
    assert (tmp_path / "thesis.txt").exists()


def test_a_list_is_never_followed_or_waited_for(tmp_path: Path) -> None:
    (tmp_path / LIST).symlink_to("/dev/zero")
    assert owned(tmp_path, SITE) is None
    (tmp_path / LIST).unlink()
    os.mkfifo(tmp_path / LIST)
    assert owned(tmp_path, SITE) is None


def test_an_output_of_another_kind_is_not_replaced(tmp_path: Path) -> None:
    build(tmp_path / "site", OLD)
    with pytest.raises(InputError, match="a wirebook audit"):
        build(tmp_path / "site", NEW, AUDIT)
    assert held(tmp_path / "site") == OLD


def test_a_fresh_checkout_is_taken_with_its_hidden_files(tmp_path: Path) -> None:
    hidden = {".git/HEAD": "ref", ".nojekyll": "", "CNAME": "example.org", "robots.txt": "User-agent: *"}
    fill(tmp_path / "site", hidden)
    with pytest.raises(InputError, match='"CNAME"'):
        build(tmp_path / "site", NEW, AUDIT)
    with pytest.raises(InputError, match="was not written by wirebook"):
        build(tmp_path / "site", {**NEW, "CNAME": "elsewhere.org"})
    for _ in range(2):
        build(tmp_path / "site", NEW)
        assert held(tmp_path / "site") == NEW | hidden


@WAYS
def test_a_file_of_others_with_the_name_of_a_new_one_is_not_overwritten(
    way: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = used(tmp_path)
    way(monkeypatch)
    before = held(target)
    for taken in ("CNAME", "mine", "CNAME/page.html", "link/page.html"):
        with pytest.raises(InputError, match="was not written by wirebook"):
            build(target, {**NEW, taken: "ours"})
        assert held(target) == before


@WAYS
def test_nothing_is_removed_through_a_link(
    way: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path / "site", OLD)
    fill(tmp_path, {"elsewhere/page.html": "mine"})
    shutil.rmtree(tmp_path / "site" / "gone")
    (tmp_path / "site" / "gone").symlink_to(tmp_path / "elsewhere")
    way(monkeypatch)
    build(tmp_path / "site", NEW)
    assert (tmp_path / "elsewhere" / "page.html").read_text() == "mine"
    assert (tmp_path / "site" / "gone").is_symlink()


@pytest.mark.parametrize("there", [True, False])
def test_a_target_that_is_a_link_stays_one(there: bool, tmp_path: Path) -> None:
    if there:
        build(tmp_path / "real", OLD)
    (tmp_path / "site").symlink_to("real")
    build(tmp_path / "site", NEW)
    assert (tmp_path / "site").readlink() == Path("real")
    assert held(tmp_path / "real") == NEW


def test_a_file_that_is_added_while_folders_are_exchanged_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = used(tmp_path)
    late = {"late.html": "late", "deep/er/late.html": "late", "added/page.html": "late"}
    real, changed = output.exchange, []

    def exchange(first: Path, second: Path) -> bool:
        fill(target, late)
        changed.append(real(first, second))
        return changed[-1]

    monkeypatch.setattr(output, "exchange", exchange)
    build(target, NEW)
    assert len(changed) == 1
    # Of two files with one name, that of the output stays.
    assert held(target) == {**OTHERS, **late, **NEW}


def test_the_working_folder_keeps_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "site", OLD)
    monkeypatch.chdir(tmp_path / "site")
    number = Path().stat().st_ino
    build(Path(), NEW)
    assert (Path().stat().st_ino, held(Path())) == (number, NEW)


def test_files_move_to_another_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def refuse(source: str | Path, there: str | Path) -> None:
        if f"wirebook-{os.getpid()}" in str(source):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        replace(source, there)

    build(tmp_path / "site", OLD)
    no_exchange(monkeypatch)
    monkeypatch.setattr(os, "replace", refuse)
    build(tmp_path / "site", NEW)
    assert held(tmp_path / "site") == NEW


def test_a_real_mount_point_is_filled(tmp_path: Path) -> None:
    target = tmp_path / "site"
    target.mkdir()
    script = (
        'mount -t tmpfs none "$1" && cd / && "$2" -c "'
        "import sys; from pathlib import Path; from tests.specs.output_folders import *; "
        "target = Path(sys.argv[1]); build(target, OLD); fill(target, OTHERS); build(target, NEW); "
        'assert held(target) == NEW | OTHERS; print(\'filled\')" "$1"'
    )
    done = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", str(target), sys.executable],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()[:100]}")
    assert done.stdout == "filled\n", done.stderr


def test_two_outputs_are_not_put_into_each_other(tmp_path: Path) -> None:
    outputs = ((tmp_path / "build", SITE), (tmp_path / "build" / "catalog", AUDIT))
    for given in (outputs, outputs[::-1]):
        with pytest.raises(InputError, match="the folder of another output"), all_replaced(*given):
            pytest.fail("the block must not run")
    assert list(tmp_path.iterdir()) == []


CALLS = ("rename", "replace", "link", "unlink", "mkdir", "rmdir", "exchange")


def _killed(target: Path, call: int, way: str) -> None:
    """A build that ends without a word before its `call`th change of the file system."""
    left = [call]

    def stopping(real: Callable[..., object]) -> Callable[..., object]:
        def stop(*given: object, **named: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)
            return real(*given, **named)

        return stop

    if way == "mounted":
        output._stays = lambda place: place.is_dir()
    if way == "no_exchange":
        output.exchange = lambda *_: False
    with replaced(target, SITE) as folder:
        fill(folder, NEW)
        for name in CALLS:
            where = output if name == "exchange" else os
            setattr(where, name, stopping(getattr(where, name)))


@pytest.mark.long
@pytest.mark.parametrize("way", ["as_it_is", "no_exchange", "mounted"])
def test_a_kill_at_any_moment_loses_nothing_of_others_and_never_the_folder(way: str, tmp_path: Path) -> None:
    ended = 9
    moments = 0
    while ended == 9:
        target = used(tmp_path)
        process = get_context("fork").Process(target=_killed, args=(target, moments, way))
        process.start()
        process.join()
        ended = process.exitcode or 0
        moments += 1
        assert target.is_dir()
        now = held(target)
        assert now.items() >= OTHERS.items()
        ours = {path: text for path, text in now.items() if path not in OTHERS and ".wirebook-" not in path}
        if way == "as_it_is":
            assert ours in (OLD, NEW)
        assert ours["index.html"] in ("old", "new")
        assert owned(target, SITE) is not None
        build(target, NEW)
        assert held(target) == NEW | OTHERS
        assert [path.name for path in tmp_path.iterdir()] == ["site"]
        shutil.rmtree(target)
    assert ended == 0
    assert moments > 5


def _repeated(target: Path, word: str) -> None:
    for _ in range(30):
        build(target, dict.fromkeys((*NEW, f"{word}.html"), word))


@pytest.mark.long
def test_builds_at_the_same_time_never_mix(tmp_path: Path) -> None:
    target = used(tmp_path)
    words = ("one", "two", "three")
    running = [get_context("fork").Process(target=_repeated, args=(target, word)) for word in words]
    for process in running:
        process.start()
    for process in running:
        process.join()
    assert [process.exitcode for process in running] == [0, 0, 0]
    left = held(target)
    assert left.items() >= OTHERS.items()
    ours = {path: text for path, text in left.items() if path not in OTHERS}
    assert ours in [dict.fromkeys((*NEW, f"{word}.html"), word) for word in words]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_full_disk_names_the_file_and_the_folder(tmp_path: Path) -> None:
    target = tmp_path / "site"

    def run_out(folder: Path) -> None:
        fill(folder, {"api/fetch.html": "half"})
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(InputError) as caught, replaced(target, SITE) as made:
        run_out(made)
    assert str(caught.value) == (
        f'{target}: cannot be written: No space left on device (the file "api/fetch.html")'
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_reported_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="cannot be written to"):
        check_output(tmp_path / "site", SITE)
