"""Every pair of fixture specs through the command: what it reads is enough for every rule to judge
by."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.rules.fixture_pairs import OTHER, PAIRS, findings, protocol
from tests.rules.rule_examples import TABLES
from wirebook.cli.main import main

pytestmark = pytest.mark.xdist_group("fixtures")

CHANGES = [folder for folder in PAIRS if protocol(folder, "old") is not None]

# A directory without any spec is unusable.
BESIDE = """{ "type": "data", "name": "Beside", "validVersions": "0", "flexibleVersions": "0+", "fields": [] }"""


def lay_out(folder: Path, side: str, into: Path) -> Path:
    """One side of a fixture as a directory of specs."""
    target = into / side
    if (folder / side).is_dir():
        shutil.copytree(folder / side, target)
    else:
        target.mkdir()
    if (folder / f"{side}.json").is_file():
        shutil.copy(folder / f"{side}.json", target / "Foo.json")
    (target / "Beside.json").write_text(BESIDE)
    named = "".join(f'{kind} = "{name}"\n' for kind, name in TABLES.items())
    # What only protocols outside Kafka's family have needs a profile that is not Kafka's.
    extends = "" if (folder / OTHER).exists() else 'extends = "kafka"\n'
    (target / "wirebook.toml").write_text(f"{extends}[tables]\n{named}")
    return target


@pytest.mark.share(8)
@pytest.mark.parametrize(
    "folder", CHANGES, ids=lambda folder: f"{folder.parent.name}/{folder.name}"
)
def test_the_command_says_what_the_engine_says(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = (str(lay_out(folder, side, tmp_path)) for side in ("old", "new"))
    main(["check", "--old", old, "--new", new, "--format", "json"])
    printed = [
        (item["rule"], item["severity"], item["field"], item["versions"])
        for item in json.loads(capsys.readouterr().out)["findings"]
    ]
    expected = findings(folder)
    assert Counter(printed) == Counter(
        (item.rule, str(item.severity), item.field, item.versions.text) for item in expected
    )
