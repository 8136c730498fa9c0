"""The fixtures of the rules: pairs of protocols, and what the rules find in them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from tests.kafka import EXAMPLES, read_kafka
from tests.rules.rule_examples import TABLES, tables_of
from wirebook.rules.engine import check, without_consequences
from wirebook.rules.finding import Finding
from wirebook.rules.tables import Tables, TablesPair
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reader import read_message

FOLDER = Path(__file__).parent / "fixtures"


# Lines put before every text of the new side: a place of one side can then not pass for one of the
# other.
SHIFT = 100


# A fixture with this file is of a protocol that is not Kafka's.
OTHER = "not-kafkas"


BOM = b"\xef\xbb\xbf"


PAIRS = sorted(folder for folder in FOLDER.glob("*/*") if folder.is_dir())


def protocol(folder: Path, side: str, *, bystanders: bool = False) -> Protocol | None:
    """The messages of one side: `old.json`, and every spec in `old/`; None where there is nothing.

    With `bystanders`, each has another field before its own (unless it has no version), and there
    are other messages before and after it.
    """
    files = [folder / f"{side}.json", *sorted((folder / side).glob("*.json"))]
    texts = {
        path.name: text(path, side)
        for path in files
        if path.is_file() and path.name not in TABLES.values()
    }
    if not texts and not (bystanders and side == "new"):
        return Protocol(()) if tables(folder, side) != Tables() else None
    if bystanders:
        texts = {name: FIELDS.sub(_with_a_field, found) for name, found in texts.items()}
    read = partial(read_message, profile=EXAMPLES) if (folder / OTHER).exists() else read_kafka
    messages = [read(found, name, strict=False) for name, found in texts.items()]
    if bystanders:
        # A lone request or response stays so: only then nobody asks for its partner.
        kinds = {"request", "response"}
        whole = kinds <= {
            item.type for each in ("old", "new") for item in protocol(folder, each) or ()
        }
        messages += [item for item in BYSTANDERS if whole or item.type not in kinds]
    if read is not read_kafka:
        messages = [replace(item, profile=EXAMPLES) for item in messages]
    return Protocol.of(messages)


def _with_a_field(found: re.Match[bytes]) -> bytes:
    item = f'{{ "name": "Bystander", "type": "int32", "versions": "{found[2].decode()}+", "about": "It is." }}'
    return found[1] + item.encode() + b",\n"


def bystander(name: str, kind: str, key: int | None = None) -> Message:
    """A message that nothing is wrong with, and that no fixture is about."""
    spec = {"type": kind, "name": name, "validVersions": "0-1", "flexibleVersions": "1+"}
    fields = [{"name": "Id", "type": "int32", "versions": "0+", "about": "An id."}]
    more = {"listeners": ["broker"]} if kind == "request" else {}
    keyed = {} if key is None else {"apiKey": key}
    return read_kafka(
        json.dumps({**keyed, **spec, **more, "fields": fields}).encode(), f"by/{name}.json"
    )


FIELDS = re.compile(rb'("validVersions": "(\d+)(?s:.*?)\n  "fields": \[)\n')


# A protocol lists the messages without a key last.
BYSTANDERS = (
    bystander("AaaHeader", "header"),
    bystander("ZzzData", "data"),
    *(
        bystander(f"{stem}{kind.title().rpartition('-')[2]}", kind, key)
        for stem, key in (("Aaa", 0), ("Zzz", 32767))
        for kind in ("request", "response", "coordinator-value")
    ),
)


def text(path: Path, side: str) -> bytes:
    """The text of a file of one side: on the new one, with as many empty lines before it as
    SHIFT."""
    plain = path.read_bytes()
    assert plain.count(b"\n") < SHIFT
    if side == "old":
        return plain
    return (BOM if plain.startswith(BOM) else b"") + b"\n" * SHIFT + plain.removeprefix(BOM)


def tables(folder: Path, side: str) -> Tables:
    """The tables of one side: `old/api_versions.json`, `old/errors.json` and `old/values.json`."""
    paths = [folder / side / name for name in TABLES.values()]
    return tables_of({path.name: text(path, side) for path in paths if path.is_file()})


@cache
def findings(folder: Path, *, bystanders: bool = False) -> tuple[Finding, ...]:
    """What the rules find between the two sides of a fixture."""
    found = tuple(
        check(
            protocol(folder, "old", bystanders=bystanders),
            protocol(folder, "new", bystanders=bystanders) or Protocol(()),
            tables=TablesPair(tables(folder, "old"), tables(folder, "new")),
        )
    )
    return tuple(without_consequences(found))
