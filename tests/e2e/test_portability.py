"""The light commands use nothing that only POSIX has: they answer the same where it is hidden."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, broken, started
from tests.support import ROOT

# What Windows lacks: modules of the standard library, and names of `os`. `posix` itself stays, since `os` is
# made of it, and so does os.name, by which the standard library chooses its own implementation.
MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
NAMES = (
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "chroot", "fchmod", "fchown",
    "fork", "forkpty", "getegid", "geteuid", "getgid", "getgroups", "getloadavg", "getpgid", "getpgrp",
    "getuid", "killpg", "lchown", "lockf", "mkfifo", "mknod", "nice", "openpty", "posix_fadvise",
    "setegid", "seteuid", "setgid", "setsid", "setuid", "sync", "sysconf", "uname", "wait",
)  # fmt: skip

HIDE = f"""
import os, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in {MODULES!r}:
            raise ModuleNotFoundError(f"no module {{name}} on Windows", name=name)

sys.meta_path.insert(0, Hidden())
for name in {MODULES!r}:
    sys.modules.pop(name, None)
sys.builtin_module_names = tuple(name for name in sys.builtin_module_names if name not in {MODULES!r})
for name in {NAMES!r}:
    for module in (os, sys.modules["posix"]):
        if hasattr(module, name):
            delattr(module, name)
"""
RUN = """
from wirebook.cli.main import main
raise SystemExit(main(sys.argv[1:]))
"""
VALUE = '{"GroupId":"g","GenerationId":3,"MemberId":"m"}'


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with a release and a change that breaks."""
    made = started(tmp_path_factory.mktemp("portable") / "repo")
    made.git("tag", "1.0.0")
    made.spec(broken())
    return made


def answer(repo: Repo, cache: Path, *arguments: str, given: str = "", hide: bool) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, with an empty cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GIT_"))}
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}){HIDE if hide else ''}{RUN}"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        cwd=repo.folder,
        env={**kept, "XDG_CACHE_HOME": str(cache), "GIT_CONFIG_GLOBAL": os.devnull},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


COMMANDS = {
    "check": (1, ["check"]),
    "check-released": (1, ["check", "--released", "*", "--format", "json"]),
    "check-staged": (0, ["check", "--staged"]),
    "check-folders": (0, ["check", "--old", f"./{FOLDER}", "--new", f"./{FOLDER}"]),
    "report": (0, ["report", "--against", "HEAD", "--format", "html"]),
    "show": (0, ["show", "Fetch", "--version", "12", "--source", "kafka"]),
    "encode": (0, ["encode", "HeartbeatRequest", "4", "--source", "kafka"]),
    "decode": (0, ["decode", "HeartbeatRequest", "4", "--explain", "--source", "kafka"]),
    "negotiate": (0, ["negotiate", "--client", "2.8", "--broker", "4.0"]),
}


OFTEN = ("check-released",)


@pytest.mark.parametrize(
    "name",
    [name if name in OFTEN else pytest.param(name, marks=pytest.mark.long) for name in COMMANDS],
)
def test_a_command_answers_the_same_without_what_only_posix_has(
    name: str, repo: Repo, tmp_path: Path
) -> None:
    code, arguments = COMMANDS[name]
    given = {"encode": VALUE, "decode": "026700000003026d0000"}.get(name, "")
    usual = answer(repo, tmp_path / "usual", *arguments, given=given, hide=False)
    assert usual[0] == code, usual[2]
    assert usual[1]
    # Twice: the second run reads what the first one left in the cache.
    for _ in range(2):
        assert answer(repo, tmp_path / "hidden", *arguments, given=given, hide=True) == usual


def test_output_files_are_written_without_what_only_posix_has(repo: Repo, tmp_path: Path) -> None:
    files = []
    for hide in (False, True):
        files.append(tmp_path / f"{hide}.json")
        arguments = ("check", "--format", "json", "--output", str(files[-1]))
        code, _, errors = answer(repo, tmp_path / "cache", *arguments, hide=hide)
        assert code == 1, errors
    texts = [file.read_text(encoding="utf-8") for file in files]
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["findings"]


def test_the_hook_hides_what_it_names() -> None:
    probe = (
        f"{HIDE}\nfor name in {MODULES!r}:\n    try: __import__(name); print(name)\n"
        f"    except ImportError: pass\nprint([name for name in {NAMES!r} if hasattr(os, name)])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
