"""Our sentences on what Kafka's other messages are for: each once, about something that there is."""

from __future__ import annotations

import json
import subprocess

from tests.kafka import read_kafka
from tests.support import history_repo, needs_shared
from wirebook.specs.kafka.purposes import load_purposes
from wirebook.specs.kafka.registry import FOLDER, embedded_source
from wirebook.specs.reading.notes import purpose


def test_every_entry_is_a_sentence_and_stands_once() -> None:
    rows = json.loads((FOLDER / "purposes.json").read_text())["purposes"]
    assert len(load_purposes()) == len(rows)
    assert all(row["about"].endswith(".") and row["about"][0].isupper() for row in rows)
    assert all(("api_key" in row) == (row["type"] == "api") for row in rows)


def test_where_a_spec_of_ours_says_it_no_entry_does() -> None:
    entries = load_purposes()
    for path in embedded_source().glob("*.json"):
        message = read_kafka(path.read_bytes(), path.name)
        if purpose(message):
            assert ("api", message.api) not in entries


@needs_shared
def test_every_entry_names_a_message_that_some_release_had() -> None:
    listed = subprocess.run(
        ["git", "-C", str(history_repo()), "log", "--all", "--name-only", "--format="],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    files = {line.rsplit("/", 1)[-1].removesuffix(".json") for line in listed.splitlines()}
    for kind, name in load_purposes():
        assert (f"{name}Request" if kind == "api" else name) in files, name
