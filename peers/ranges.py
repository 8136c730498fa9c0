"""Reads ranges of versions as people and programs write them: JSON, lists, or the output of Kafka's
tool."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches

from wirebook.peers.negotiation import MARKS, Feature, Peer, Way, marks_of
from wirebook.specs.kafka.brokers import ReleaseTable
from wirebook.specs.limits import MAX_INT16, MAX_MARKED
from wirebook.specs.model import Json
from wirebook.specs.problems import InputError, Position
from wirebook.specs.versions import MAX_VERSION, Versions, VersionsError, VersionSet

_FORMS = (
    'write "0-3" or [0, 3] for each key or name, a list of [key, lowest, highest], the body of an '
    "ApiVersions response, or lines like 0: 0-3"
)
# The output of kafka-broker-api-versions.sh: "Produce(0): 0 to 9 [usable: 9]".
_ENTRY = re.compile(
    r"(?P<api>[A-Za-z]\w*|\d{1,9}) ?(?:\((?P<key>\d{1,9})\))?(?: ?[:=] ?| )"
    r"(?P<low>\d{1,9})(?: ?(?:-|–|to) ?(?P<high>\d{1,9}))?(?: ?\[usable: [^\]]*\])?"
)
_TRIPLE = re.compile(
    r"\( ?(?P<key>(?P<api>\d{1,9})) ?, ?(?P<low>\d{1,9}) ?, ?(?P<high>\d{1,9}) ?\)"
)
_HEAD = re.compile(r"\s*(?P<name>[^\s,()]+)(?:\s+\(id:[^)]*\))?\s*->\s*(?:\($)?")
_UNSUPPORTED = re.compile(r"\w+\(\d+\):\s*UNSUPPORTED")
_PIECES = re.compile(r"\s*\([^(),]*,[^(),]*,[^()]*\)|[^,;]+")


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
        value = json.loads(decoded, object_pairs_hook=_object)
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


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        raise InputError(f"{next(name for name in names if names.count(name) > 1)} appears twice")
    return value


def _peer(value: Json, name: str, table: ReleaseTable) -> Peer:
    """A peer with its name, marks and features, or its ranges only."""
    if not isinstance(value, dict) or not {"versions", "features"} & value.keys():
        return Peer(name, _ranges(value, table))
    name = value.get("name", name)
    if not isinstance(name, str) or not name:
        raise InputError("a name must be a string")
    if value.get("failure") is not None:
        raise InputError(f"{name} did not answer the probe")
    features = value.get("features", {})
    if not isinstance(features, dict):
        raise InputError("features must be an object: a name, and the ranges that it needs")
    ways = {each: Way(_ranges(needs, table)) for each, needs in features.items()}
    if not all(way.needs for way in ways.values()):
        raise InputError("a feature needs at least one API")
    listed = tuple(Feature(each, (way,)) for each, way in ways.items())
    if value.get("versions") is None:
        if not listed:
            raise InputError('"versions" must contain the ranges')
        return Peer(name, None, features=listed)
    ranges = _ranges(value["versions"], table)
    marked = {mark: _marked(value.get(mark, {}), table) for mark in MARKS}
    if sum(len(versions) for each in marked.values() for versions in each.values()) > MAX_MARKED:
        raise InputError(f"more than {MAX_MARKED} versions are marked")
    return Peer(name, ranges, marks=marks_of(ranges, marked), features=listed)


def _ranges(value: Json, table: ReleaseTable) -> dict[int, Versions]:
    """A range for each key, from an object, a list of triples, or the body of an ApiVersions
    response."""
    entries: list[tuple[Json, Json]] = []
    if isinstance(value, dict):
        listed = next((inner for name, inner in value.items() if _folded(name) == "apikeys"), None)
        if listed is not None:
            return _ranges(listed, table)
        entries = list(value.items())
    elif isinstance(value, list):
        for item in value:
            parts = item if isinstance(item, list) else _entry(item)
            if len(parts) != 3:
                raise InputError("an entry of the list is [key, lowest, highest]")
            entries.append((parts[0], parts[1:]))
    else:
        raise InputError(f"these are not ranges; {_FORMS}")
    ranges: dict[int, Versions] = {}
    for api, written in entries:
        _add(ranges, api, written, table)
    return ranges


def _entry(item: Json) -> list[Json]:
    """The key and the ends of an entry of an ApiVersions response; empty if it is none."""
    fields = (
        {_folded(name): value for name, value in item.items()} if isinstance(item, dict) else {}
    )
    names = ("apikey", "minversion", "maxversion")
    return [fields[name] for name in names] if all(name in fields for name in names) else []


def _marked(value: Json, table: ReleaseTable) -> dict[int, VersionSet]:
    """Marked versions for each key: "1", "1, 3-4"."""
    if not isinstance(value, dict):
        raise InputError('marks must be an object: a key or name, and versions as in "1, 3-4"')
    marked = {}
    for name, versions in value.items():
        try:
            marked[api_key(name, table)] = VersionSet.parse(str(versions))
        except VersionsError as error:
            raise InputError(str(error)) from None
    return marked


def _add(ranges: dict[int, Versions], api: Json, written: Json, table: ReleaseTable) -> None:
    """Add the range of an API: "0-3", "3", 3, or [0, 3]."""
    key = api_key(str(api), table)
    if key in ranges:
        raise InputError(f"{table.names.get(key, 'key')} ({key}) appears twice")
    ends = written if isinstance(written, list) else [written, written]
    if len(ends) == 2 and all(type(end) is int for end in ends):
        low, high = int(str(ends[0])), int(str(ends[1]))
        if not 0 <= low <= high <= MAX_VERSION:
            raise InputError(
                f"{api}: {low} to {high} are not two versions between 0 and {MAX_VERSION}"
            )
        ranges[key] = Versions(low, high)
        return
    if not isinstance(written, str):
        raise InputError(f'{api}: a range is written "0-3" or [0, 3]')
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
    """Ranges as text by the name above them: entries on lines or between commas; "B1 -> …" names a
    broker."""
    peers: dict[str, dict[int, Versions]] = {}
    ranges: dict[int, Versions] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        entries = line.split("#")[0].split("//")[0].rstrip()
        try:
            head = _HEAD.match(entries)
            if head is not None:
                if head["name"] in peers:
                    raise InputError(f"{head['name']} appears twice")
                ranges = peers[head["name"]] = {}
                entries = entries[head.end() :]
            for piece in _PIECES.findall(entries):
                entry = " ".join(
                    piece.split()
                )  # no pattern may backtrack through long runs of spaces
                if entry in ("", ")") or _UNSUPPORTED.match(entry):
                    continue
                match = _TRIPLE.fullmatch(entry) or _ENTRY.fullmatch(entry)
                if match is None:
                    raise InputError(f'"{entry[:60]}" is not a range; {_FORMS}')
                if ranges is None:
                    ranges = peers[name] = {}
                low = int(match["low"])
                high = low if match["high"] is None else int(match["high"])
                _add(ranges, match["key"] or match["api"], [low, high], table)
        except InputError as error:
            raise InputError(error.message, position=Position(number, 1)) from None
    if not any(peers.values()):
        raise InputError(f"there are no ranges; {_FORMS}")
    return peers


def _folded(name: str) -> str:
    return name.replace("_", "").lower()
