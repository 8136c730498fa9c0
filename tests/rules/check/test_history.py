"""A check judges little more than what differs: over the real history it says what the whole
would."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.kafka import read_kafka
from tests.sources import texts_at
from tests.support import history_repo, needs_shared
from wirebook.cli.main import main
from wirebook.rules.engine import check
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError

pytestmark = pytest.mark.long

EVERY = 9


def protocol(folder: Path, commit: str, known: dict[tuple[str, str], Message | None]) -> Protocol:
    found = []
    for path, text, digest, _ in texts_at(folder, commit):
        if (path, digest) not in known:
            try:
                known[path, digest] = read_kafka(text, path, strict=False)
            except InputError:
                known[path, digest] = None
        found.append(known[path, digest])
    return Protocol.of(message for message in found if message is not None)


@needs_shared
def test_parts_say_what_the_whole_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = history_repo()
    monkeypatch.chdir(folder)
    settings = tmp_path / "wirebook.toml"
    settings.write_text('extends = "kafka"\n')
    listed = subprocess.run(
        ["git", "rev-list", "--parents", "HEAD"], capture_output=True, text=True, check=True
    )
    steps = [line.split()[:2] for line in listed.stdout.splitlines() if " " in line][::EVERY]
    known: dict[tuple[str, str], Message | None] = {}
    seen = 0
    for commit, parent in steps:
        expected = check(protocol(folder, parent, known), protocol(folder, commit, known))
        code = main(
            [
                "check",
                "--against",
                f"{parent}..{commit}",
                "--config",
                str(settings),
                "--format",
                "json",
            ]
        )
        report = json.loads(capsys.readouterr().out)
        if report["unchecked"]:
            assert code == 2
            continue
        seen += len(expected)
        assert sorted(map(repr, report["findings"])) == sorted(
            repr(item.to_json()) for item in expected
        )
        assert code == any(item.severity == "error" for item in expected)
    assert seen > 20
