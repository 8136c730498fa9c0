"""Reads ranges of versions: JSON, lines, or the output of Kafka's tool."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches

from wirebook.peers.negotiation import Feature, Peer, Way
from wirebook.specs.kafka.brokers import ReleaseTable
from wirebook.specs.limits import MAX_INT16
from wirebook.specs.lines import json_object
from wirebook.specs.model import Json
from wirebook.specs.problems import InputError, Position
from wirebook.specs.versions import Versions, VersionsError

_FORMS = 'write "0-3" for each key or name, a list of [key, lowest, highest], or lines like 0: 0-3'
# The output of kafka-broker-api-versions.sh: "HOST:PORT (id: 0 rack: null) -> (" and below it
# "Produce(0): 0 to 9 [usable: 9],". A name and an arrow begin another peer.
_BROKER = re.compile(r"(?P<name>[^,()]+?) (?:\(id:[^)]*\) )?->(?: \()?")
_ENTRY = re.compile(
    r"(?P<api>\w+)(?:\((?P<key>\d+)\))? ?: ?"
    r"(?P<low>\d+)(?: ?(?:-|to) ?(?P<high>\d+))?(?: \[usable: [^\]]*\])?,?"
)
_UNSUPPORTED = re.compile(r"\w+\(\d+\): UNSUPPORTED,?")


def read_ranges(text: bytes, path: str, name: str, table: ReleaseTable) -> list[Peer]:
    """Read the clients or brokers from a text; `name` is for one without a name, and `table` has
    the APIs.

    Raises InputError for what is no range, for a key that no request can have, and for an API that
    appears twice.
    """
    try:
        decoded = text.decode("utf-8-sig")
        if decoded.lstrip()[:1] not in ("{", "["):
            return [Peer(each, ranges) for each, ranges in _listed(decoded, name, table).items()]
        value = json.loads(decoded, object_pairs_hook=json_object)
        if not isinstance(value, dict) or "brokers" not in value:
            return [_peer(value, name, table)]
        brokers = value["brokers"]
        if not isinstance(brokers, list) or not brokers:
            raise InputError('"brokers" must be a list of brokers')
        return [_peer(broker, f"{name}-{number}", table) for number, broker in enumerate(brokers)]
    except UnicodeDecodeError:
        raise InputError(f"this is neither JSON nor text; {_FORMS}", path) from None
    except json.JSONDecodeError as error:
        at = Position(error.lineno, error.colno)
        raise InputError(f"this is not JSON: {error.msg}", path, at) from None
    except RecursionError:
        raise InputError("this is not JSON: it is too deep", path) from None
    except InputError as error:
        raise InputError(error.message, path, error.position) from None


def _peer(value: Json, name: str, table: ReleaseTable) -> Peer:
    """A peer with its name and features, or its ranges only."""
    if not isinstance(value, dict) or not {"versions", "features"} & value.keys():
        return Peer(name, _ranges(value, table))
    name = str(value.get("name") or name)
    if value.get("failure") is not None:
        raise InputError(f"{name} did not answer the probe")
    written = value.get("features", {})
    if not isinstance(written, dict) or not all(written.values()):
        raise InputError("features must be an object: a name, and the ranges that it needs")
    features = tuple(
        Feature(each, any=(Way(needs=_ranges(needs, table)),)) for each, needs in written.items()
    )
    versions = value.get("versions")
    if versions is None and features:
        return Peer(name, None, features=features)
    return Peer(name, _ranges(versions, table), features=features)


def _ranges(value: Json, table: ReleaseTable) -> dict[int, Versions]:
    """A range for each key, from an object or a list of triples."""
    ranges: dict[int, Versions] = {}
    if isinstance(value, dict):
        for api, written in value.items():
            _add(ranges, api, written, table)
    elif isinstance(value, list):
        for item in value:
            if not isinstance(item, list) or len(item) != 3:
                raise InputError("an entry of the list is [key, lowest, highest]")
            api, low, high = map(str, item)
            _add(ranges, api, f"{low}-{high}", table)
    else:
        raise InputError(f"these are not ranges; {_FORMS}")
    return dict(sorted(ranges.items()))


def _add(ranges: dict[int, Versions], api: str, written: Json, table: ReleaseTable) -> None:
    """Add the range of an API: "0-3", "3"."""
    key = api_key(api, table)
    if key in ranges:
        raise InputError(f"{table.names.get(key, 'key')} ({key}) appears twice")
    if not isinstance(written, str):
        raise InputError(f'{api}: a range is written "0-3"')
    try:
        ranges[key] = Versions.parse(written)
    except VersionsError as error:
        raise InputError(f"{api}: {error}") from None


def api_key(text: str, table: ReleaseTable) -> int:
    """The key of an API: digits, or a current or former name in a table.

    Raises InputError with the nearest names if there is none.
    """
    if text.isascii() and text.isdecimal() and len(text) < 10:
        if int(text) > MAX_INT16:
            raise InputError(f"there is no API key {int(text)}: an INT16 is at most {MAX_INT16}")
        return int(text)
    if text.lower() in table.keys:
        return table.keys[text.lower()]
    near = get_close_matches(text, table.names.values(), n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; you can also give its API key"
    raise InputError(f'there is no API "{text[:60]}"{hint}')


def _listed(text: str, name: str, table: ReleaseTable) -> dict[str, dict[int, Versions]]:
    """Ranges by the name above them, an API on each line."""
    peers: dict[str, dict[int, Versions]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry = " ".join(line.partition("#")[0].split())
        broker = _BROKER.fullmatch(entry)
        if broker is not None:
            name = broker["name"]
        elif entry not in ("", ")") and not _UNSUPPORTED.fullmatch(entry):
            try:
                _add(peers.setdefault(name, {}), *_entry(entry), table)
            except InputError as error:
                raise InputError(error.message, position=Position(number, 1)) from None
    if not peers:
        raise InputError(f"there are no ranges; {_FORMS}")
    return peers


def _entry(line: str) -> tuple[str, str]:
    """The key or the name of an API, and its range."""
    match = _ENTRY.fullmatch(line)
    if match is None:
        raise InputError(f'"{line[:60]}" is not a range; {_FORMS}')
    return match["key"] or match["api"], f"{match['low']}-{match['high'] or match['low']}"
