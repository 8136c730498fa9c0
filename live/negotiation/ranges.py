"""Parses ranges of versions as people and programs write them: JSON, lists, or the output of Kafka's tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, NoReturn

from wirebook.live.negotiation.negotiate import MARKS, Feature, Peer, Way
from wirebook.specs.jsontext import JsonObject, JsonPlaces, SourcePositions, parse_json
from wirebook.specs.kafka.brokers import ReleaseTable, kafka_releases
from wirebook.specs.limits import MAX_INT16, MAX_MARKED
from wirebook.specs.problems import InputError, Lines
from wirebook.specs.versions import MAX_VERSION, Versions, VersionsError

FORMS = (
    'write "0-3" or [0, 3] for each key or name, a list of [key, lowest, highest], the body of an '
    "ApiVersions response, or lines like 0: 0-3"
)

# The output of kafka-broker-api-versions.sh: "Produce(0): 0 to 9 [usable: 9]".
_ENTRY = re.compile(
    r"(?P<api>[A-Za-z]\w*|\d{1,9})\s*(?:\((?P<key>\d{1,9})\))?\s*(?::|=|\s)\s*"
    r"(?P<low>\d{1,9})(?:\s*(?:-|–|to)\s*(?P<high>\d{1,9}))?(?:\s*\[usable: [^\]]*\])?"
)
_TRIPLE = re.compile(r"\(\s*(?P<api>\d{1,9})\s*,\s*(?P<low>\d{1,9})\s*,\s*(?P<high>\d{1,9})\s*\)")
_HEAD = re.compile(r"(?P<name>[^\s,()]+)(?:\s+\(id:[^)]*\))?\s*->\s*(?:\($)?")
_UNSUPPORTED = re.compile(r"\w+\(\d+\):\s*UNSUPPORTED")
_PIECES = re.compile(r"\s*\([^(),]*,[^(),]*,[^()]*\)|[^,;]+")


def read_ranges(text: str | bytes, path: str, name: str, table: ReleaseTable | None = None) -> list[Peer]:
    """Read the clients or brokers from a text; `name` is for one without a name, and `table` has the APIs
    (default: Kafka's).

    Raises InputError with the position of an invalid range, of a key that no request can have, or of an API
    that appears twice.
    """
    table = table or kafka_releases()
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(f"this is neither JSON nor text; {FORMS}", path) from None
    if text.lstrip()[:1] in ("{", "["):
        document = parse_json(text, path)
        if document.rest is not None:
            raise InputError(
                "there is more after the JSON value", path, document.lines.position(document.rest)
            )
        return list(_Reader(path, document.lines, table).peers(document.value, name))
    return _lines(text, _Listing(text, path, name, table))


class _Reader:
    """Reads one JSON document."""

    def __init__(self, path: str, lines: SourcePositions, table: ReleaseTable) -> None:
        self.path = path
        self.lines = lines
        self.table = table
        self.marked = 0

    def places(self, value: JsonObject) -> JsonPlaces:
        return self.lines.object(value.number)

    def fail(self, message: str, offset: int | None = None) -> NoReturn:
        raise InputError(message, self.path, None if offset is None else self.lines.position(offset))

    def peers(self, value: object, name: str) -> Iterator[Peer]:
        if isinstance(value, JsonObject) and "brokers" in value:
            listed = value["brokers"]
            at = self.places(value).values_at["brokers"]
            if not isinstance(listed, list) or not listed:
                self.fail('"brokers" must be a list of brokers', at)
            for number, item in enumerate(listed):
                yield self.peer(item, f"{name}-{number}", at)
        else:
            yield self.peer(value, name, 0)

    def peer(self, value: object, name: str, offset: int) -> Peer:
        marks: dict[str, dict[int, frozenset[int]]] = {}
        features: tuple[Feature, ...] = ()
        written = value
        if isinstance(value, JsonObject) and ("versions" in value or "features" in value):
            places = self.places(value)
            own_name = value.get("name", name)
            if not isinstance(own_name, str) or not own_name:
                self.fail("a name must be a string", places.values_at["name"])
            name = own_name
            written = value.get("versions")
            offset = places.values_at.get("versions", places.offset)
            marks = {mark: self.marks(value[mark], places.values_at[mark]) for mark in MARKS if mark in value}
            if "features" in value:
                features = self.features(value["features"], places.values_at["features"])
            if written is None and not features:
                self.fail('"versions" must contain the ranges', offset)
        versions = None if written is None else self.ranges(written, offset)
        return Peer.of(name, versions, features=features, **marks)

    def ranges(self, value: object, offset: int) -> dict[int, Versions]:
        """A range for each key, from an object, a list of triples, or the body of an ApiVersions response."""
        ranges: dict[int, Versions] = {}
        for key, versions, at in self.entries(value, offset):
            if key in ranges:
                self.fail(f"{_shown(key, self.table)} appears twice", at)
            ranges[key] = versions
        return ranges

    def entries(self, value: object, offset: int) -> Iterator[tuple[int, Versions, int]]:
        if isinstance(value, JsonObject):
            places = self.places(value)
            for name, inner in value.items():
                if _folded(name) == "apikeys" and isinstance(inner, list):
                    yield from self.entries(inner, places.values_at[name])
                    return
            for name, _, again in places.duplicates:
                self.fail(f"{name} appears twice", again)
            for name, inner in value.items():
                at = places.keys_at[name]
                yield self.key(name, at), self.range(inner, places.values_at[name]), at
        elif isinstance(value, list):
            for item in value:
                yield self.entry(item, self.places(item).offset if isinstance(item, JsonObject) else offset)
        else:
            self.fail(f"these are not ranges; {FORMS}", offset)

    def entry(self, item: object, offset: int) -> tuple[int, Versions, int]:
        """An entry of a list: [key, lowest, highest], or the fields ApiKey, MinVersion and MaxVersion."""
        if isinstance(item, JsonObject):
            fields = {_folded(name): inner for name, inner in item.items()}
            parts = [fields.get(name) for name in ("apikey", "minversion", "maxversion")]
        else:
            parts = item if isinstance(item, list) else []
        if len(parts) != 3 or None in parts:
            self.fail("an entry of the list is [key, lowest, highest]", offset)
        return self.key(parts[0], offset), self.range(parts[1:], offset), offset

    def key(self, value: object, offset: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            self.fail("name an API by its key or its name", offset)
        try:
            return api_key(value, self.table)
        except InputError as error:
            self.fail(error.message, offset)

    def range(self, value: object, offset: int) -> Versions:
        """A range: "0-3", "3", 3, or [0, 3]."""
        if isinstance(value, list) and len(value) == 2:
            low, high = value
            if all(isinstance(each, int) and not isinstance(each, bool) for each in (low, high)):
                return self.checked(low, high, offset)
        if isinstance(value, int) and not isinstance(value, bool):
            return self.checked(value, value, offset)
        if not isinstance(value, str):
            self.fail('a range is written "0-3" or [0, 3]', offset)
        try:
            return Versions.parse(value)
        except VersionsError as error:
            self.fail(str(error), offset)

    def checked(self, low: int, high: int, offset: int) -> Versions:
        try:
            return bounded(low, high)
        except InputError as error:
            self.fail(error.message, offset)

    def marks(self, value: object, offset: int) -> dict[int, frozenset[int]]:
        """Marked versions for each key: "1", "1, 3-4"."""
        if not isinstance(value, JsonObject):
            self.fail('marks must be an object: a key or name, and versions as in "1, 3-4"', offset)
        places = self.places(value)
        marks: dict[int, frozenset[int]] = {}
        for name, inner in value.items():
            at = places.values_at[name]
            parts = inner.split(",") if isinstance(inner, str) else [inner]
            ranges = [self.range(part, at) for part in parts]
            self.marked += sum(map(len, ranges))
            if self.marked > MAX_MARKED:
                self.fail(f"more than {MAX_MARKED} versions are marked", at)
            numbers = {version for versions in ranges for version in versions}
            marks[self.key(name, places.keys_at[name])] = frozenset(numbers)
        return marks

    def features(self, value: object, offset: int) -> tuple[Feature, ...]:
        """Features by name, each with the ranges that it needs."""
        if not isinstance(value, JsonObject):
            self.fail("features must be an object: a name, and the ranges that it needs", offset)
        features = []
        for name, inner in value.items():
            at = self.places(value).values_at[name]
            needs = self.ranges(inner, at)
            if not needs:
                self.fail("a feature needs at least one API", at)
            features.append(Feature(name, (Way(needs),)))
        return tuple(features)


def api_key(text: str, table: ReleaseTable) -> int:
    """Parse the key of an API: digits, or a current or former name in a table.

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


def bounded(low: int, high: int) -> Versions:
    """A range with both ends within INT16; raises InputError otherwise."""
    if not 0 <= low <= MAX_VERSION or not 0 <= high <= MAX_VERSION:
        raise InputError(f"versions must be between 0 and {MAX_VERSION}, not {low} to {high}")
    if high < low:
        raise InputError(f"{low} to {high} ends before it begins")
    return Versions(low, high)


def _lines(text: str, listing: _Listing) -> list[Peer]:
    """Ranges as text: entries separated by lines or commas; "B1 -> …" begins another broker.

    If its ranges have braces, "Feature1 -> {(0, 3, 3)}", a line is a feature and what it needs (KIP-35).
    """
    at = 0
    for line in text.splitlines(keepends=True):
        listing.add(line.split("#")[0].split("//")[0].rstrip(), at)
        at += len(line)
    return listing.peers()


class _Listing:
    """The ranges of a text by the name above them, `name` if there is none, and which names are features."""

    def __init__(self, text: str, path: str, name: str, table: ReleaseTable) -> None:
        self.path = path
        self.name = name
        self.table = table
        self.lines = Lines(text)
        self.ranges: dict[str, dict[int, Versions]] = {}
        self.features: set[str] = set()
        self.current: str | None = None

    def add(self, line: str, start: int) -> None:
        """Add the entries of a line without its comment; `start` is its offset in the text."""
        if line.strip() in ("", ")"):
            return
        entries = line
        head = _HEAD.match(line.lstrip())
        if head is not None:
            if head["name"] in self.ranges:
                raise self.error(f"{head['name']} appears twice", start)
            self.current = head["name"]
            self.ranges[self.current] = {}
            start += len(line) - len(line.lstrip()) + head.end()
            entries = line.lstrip()[head.end() :]
            if entries.startswith("{") and entries.endswith("}"):
                self.features.add(self.current)
                entries, start = entries[1:-1], start + 1
        for piece in _PIECES.finditer(entries):
            entry = piece[0].strip()
            if entry and not _UNSUPPORTED.match(entry):
                self.add_entry(entry, start + piece.start() + len(piece[0]) - len(piece[0].lstrip()))

    def add_entry(self, entry: str, offset: int) -> None:
        """Add the range of one API."""
        if self.current is None:
            self.current = self.name
            self.ranges[self.name] = {}
        ranges = self.ranges[self.current]
        try:
            key, versions = _entry(entry, self.table)
        except InputError as error:
            raise self.error(error.message, offset) from None
        if key in ranges:
            raise self.error(f"{_shown(key, self.table)} appears twice", offset)
        ranges[key] = versions

    def error(self, message: str, offset: int) -> InputError:
        """An error at an offset."""
        return InputError(message, self.path, self.lines.position(offset))

    def peers(self) -> list[Peer]:
        """The peers of the ranges. Raises InputError if there are no ranges, or features among peers."""
        if not any(self.ranges.values()):
            raise InputError(f"there are no ranges; {FORMS}", self.path)
        if not self.features:
            return [Peer.of(name, versions) for name, versions in self.ranges.items()]
        if self.features != self.ranges.keys():
            raise InputError("this lists features and ranges of peers: put them into two files", self.path)
        features = tuple(Feature(name, (Way(needs),)) for name, needs in self.ranges.items())
        return [Peer.of(self.name, None, features=features)]


def _entry(text: str, table: ReleaseTable) -> tuple[int, Versions]:
    single = " ".join(text.split())  # no pattern may backtrack through long runs of spaces
    match = _TRIPLE.fullmatch(single) or _ENTRY.fullmatch(single)
    if match is None:
        raise InputError(f'"{text[:60]}" is not a range; {FORMS}')
    groups: dict[str, Any] = match.groupdict()
    low = int(groups["low"])
    high = low if groups["high"] is None else int(groups["high"])
    return api_key(groups.get("key") or groups["api"], table), bounded(low, high)


def _shown(key: int, table: ReleaseTable) -> str:
    name = table.names.get(key)
    return f"{name} ({key})" if name else f"key {key}"


def _folded(name: str) -> str:
    return name.replace("_", "").lower()
