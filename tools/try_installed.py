"""Tries the installed `wirebook`, with nothing but the standard library and git: CI runs it on each system.

It is for systems on which the tests do not run: they need make and programs of POSIX.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

VALUE = '{"GroupId":"g","GenerationId":3,"MemberId":"m","GroupInstanceId":null}'
SPEC = """\
{
  "apiKey": 0,
  "type": "request",
  "name": "PlaceRequest",
  "validVersions": "0",
  "flexibleVersions": "0+",
  "fields": [
    { "name": "Amount", "type": "int32", "versions": "0+", "about": "The amount." }
  ]
}
"""
API = "import wirebook as w; print(w.encode('HeartbeatRequest', {'GroupId': 'g'}, 4).hex(), w.__file__)"


class WrongAnswerError(Exception):
    """A command that does not answer as it must; the command and its answer."""


def main(arguments: Sequence[str] = ()) -> int:
    """Run the commands and print each; returns 1 at the first wrong answer, 2 without the program or git."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wirebook", metavar="PROGRAM", help="by default, the one beside this Python")
    options = parser.parse_args(arguments)
    program = str(options.wirebook or shutil.which("wirebook", path=sysconfig.get_path("scripts")) or "")
    for name, path in (("wirebook", program), ("git", shutil.which("git"))):
        if not path:
            print(f"{name} is not installed", file=sys.stderr)
            return 2
    with tempfile.TemporaryDirectory(prefix="wirebook-try-", ignore_cleanup_errors=True) as folder:
        try:
            _reference(program, Path(folder))
            _check(program, Path(folder) / "repo")
        except WrongAnswerError as wrong:
            print(wrong, file=sys.stderr)
            return 1
    return 0


def _reference(program: str, folder: Path) -> None:
    """What needs no repository: the embedded reference, the codec and the API."""
    _answer(0, "wirebook ", folder, program, "--version")
    _answer(0, "ClusterId", folder, program, "show", "Fetch", "--version", "12")
    _answer(0, "026700000003026d0000", folder, program, "encode", "HeartbeatRequest", "4", given=VALUE)
    _answer(0, VALUE, folder, program, "decode", "HeartbeatRequest", "4", given="026700000003026d0000")
    _answer(0, '"tag-reused"', folder, program, "rules", "--format", "json")
    api = _answer(0, "0267", folder, sys.executable, "-P", "-c", API).split(maxsplit=1)[1].strip()
    if Path(api).is_relative_to(Path(__file__).resolve().parent.parent / "wirebook"):
        raise WrongAnswerError(f"the checkout is imported, not what is installed: {api}")


def _check(program: str, repo: Path) -> None:
    """The check and the report of a change that breaks, and of one that does not."""
    spec = repo / "specs" / "PlaceRequest.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(SPEC, encoding="utf-8", newline="\n")
    author = ("-c", "user.name=CI", "-c", "user.email=ci@localhost", "-c", "commit.gpgsign=false")
    _answer(0, "", repo, "git", "init", "--quiet")
    _answer(0, "", repo, "git", "add", "specs")
    _answer(0, "", repo, "git", *author, "commit", "--quiet", "-m", "Begin")
    _answer(0, "", repo, "git", "tag", "1.0.0")
    spec.write_text(SPEC.replace("int32", "int64"), encoding="utf-8", newline="\n")
    against = ("--against", "HEAD", "--released", "*")
    found = _answer(1, "type-changed", repo, program, "check", *against, "--format", "json")
    paths = {finding["location"]["path"] for finding in json.loads(found)["findings"]}
    if paths != {"specs/PlaceRequest.json"}:
        raise WrongAnswerError(f"a finding is at {paths}")
    _answer(1, "specs/PlaceRequest.json:8:", repo, program, "check", *against)
    _answer(0, "type-changed", repo, program, "report", *against)
    _answer(0, "", repo, "git", "add", "specs")
    _answer(1, "type-changed", repo, program, "check", "--staged")
    spec.write_text(SPEC, encoding="utf-8", newline="\n")
    _answer(0, "", repo, program, "check", *against)


def _answer(code: int, words: str, folder: Path, *command: str, given: str = "") -> str:
    """The output of a command. Raises WrongAnswerError for another exit code or output without the words."""
    # Not every system prints UTF-8 into a pipe, and what is compared is ASCII.
    done = subprocess.run(
        command,
        cwd=folder,
        input=given,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
        check=False,
    )
    text = " ".join((Path(command[0]).stem, *command[1:]))
    if done.returncode != code or words not in done.stdout:
        expected = f"exit code {code}" + (f" and {words}" if words else "")
        raise WrongAnswerError(
            f"{text}: expected {expected}, got {done.returncode}\n{done.stdout}{done.stderr}"
        )
    print(f"ok: {text}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
