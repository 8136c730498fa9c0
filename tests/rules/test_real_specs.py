"""What the rules on single files and on sets say of released specs: real defects, and nothing
else."""

from __future__ import annotations

import subprocess
import tarfile
from collections import Counter
from functools import cache
from io import BytesIO

import pytest

from tests.kafka import read_kafka
from tests.support import ROOT, history_repo, needs_shared
from wirebook.rules.engine import judge_files, judge_together
from wirebook.rules.finding import Finding, Severity
from wirebook.specs.model import Protocol

# 2.2 had no flexible versions yet; zkBroker went in 4.0; the duplicate keys were in 3.8 and 3.9;
# what is left in 4.3 is a truth value in quotes, in the subscription of Streams.
EXPECTED = {
    "2.2.0": {"missing-key": 90},
    "3.8.0": {"bad-json": 3, "unknown-listener": 62, "bad-value": 4},
    "4.3.1": {"bad-value": 1},
}
# How many errors there are in each release: those the generator of its day did not refuse.
ERRORS = {"2.2.0": 90, "3.8.0": 65, "4.3.1": 0}


@cache
def release(name: str) -> Protocol:
    """The specs of one release, with everything the reader has to say of them."""
    command = ["git", "-C", str(history_repo()), "archive", "--format=tar", name]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    messages = []
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        for member in files:
            if member.name.endswith(".json") and "/src/main/" in member.name:
                file = files.extractfile(member)
                assert file is not None
                messages.append(read_kafka(file.read(), member.name, strict=False))
    return Protocol.of(messages)


def own() -> Protocol:
    folder = ROOT / "specs" / "kafka" / "messages"
    files = sorted(folder.rglob("*.json"))
    named = [(path, path.relative_to(folder).as_posix()) for path in files]
    return Protocol.of(read_kafka(path.read_bytes(), name, strict=False) for path, name in named)


def judged(protocol: Protocol) -> list[Finding]:
    """The errors and warnings."""
    every = judge_files(protocol) + judge_together(protocol)
    return [finding for finding in every if finding.severity is not Severity.INFO]


@needs_shared
@pytest.mark.parametrize("name", EXPECTED)
def test_what_fires_on_a_release(name: str) -> None:
    findings = judged(release(name))
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    assert Counter(finding.rule for finding in findings) == EXPECTED[name]
    assert len(errors) == ERRORS[name]


def test_our_own_specs_are_clean() -> None:
    assert judged(own()) == []
