"""Parses the request counters in a dump of metrics: series with labels (which broker), time, value.

Brokers count requests in `kafka.network:type=RequestMetrics,name=RequestsPerSec,request=…,version=…`
(KIP-272, since 2.0) and, those of deprecated versions, in `name=DeprecatedRequestsPerSec` with
`clientSoftwareName` and `clientSoftwareVersion` (KIP-896; RequestMetrics.java). The attribute `Count` is a
total since the broker started.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from wirebook.fleet.reading.times import moment_of
from wirebook.fleet.requests import (
    NO_DAY,
    UNKNOWN,
    LineForm,
    LoggedRequest,
    Origin,
    Reason,
    Unreadable,
    shortened,
)
from wirebook.specs.limits import MAX_INT16

PLAIN, DEPRECATED = "RequestsPerSec", "DeprecatedRequestsPerSec"
_DOMAIN = "kafka.network"
# The default format of jmx_exporter includes the attribute in the name; its example rules (kafka-2_0_0.yml)
# do not.
_METRIC = re.compile(
    r"kafka_network_requestmetrics_(?:(?P<kind>(?:deprecated_?)?requests)(?:_?per_?sec)?_)?"
    r"(?:count_total|count|total)",
    re.IGNORECASE,
)
_LINE = re.compile(
    r'(?P<name>[A-Za-z_:][\w:]*)?(?:\{(?P<labels>(?:[^"}]++|"(?:[^"\\]|\\.)*+")*+)\})?\s+(?P<value>[-+.\w]+)'
    r"(?:\s+(?P<time>-?\d+(?:\.\d+)?))?(?:\s+#.*)?\s*"
)
_LABEL = re.compile(r'\s*([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)')
_PROPERTY = re.compile(r'([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)(?:,|$)')
_BEANS = re.compile(r"#?\s*mbean = (?P<bean>\S.*?):?\s*")
_ATTRIBUTE = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>[^;]*);?\s*")
_KEYED = re.compile(r'(?P<key>time|[\w.]+:.*:\w+)(?:,"(?P<quoted>.*)"|[=\t](?P<plain>.*))')
_SECONDS = 1e11  # smaller timestamps are OpenMetrics: seconds, not milliseconds
_INSTANCE = ("instance", "pod")
# Among the labels that the receiver in a broker adds to what clients push (KIP-714).
_INSTANCE_ID = "client_instance_id"
PUSH_TELEMETRY = 72
_STARTS = (
    (LineForm.PROMETHEUS, re.compile(rb"# (?:HELP|TYPE|UNIT|EOF)\b|\{__name__=|kafka_\w+\{", re.IGNORECASE)),
    (LineForm.PROMETHEUS, re.compile(rb"[A-Za-z:]+_[\w:]*(?:\{[^\n]*\})? [-+.\deE]+(?: \d+)?\r?\n")),
    (LineForm.JMX, re.compile(rb'"time",|time,"|time[=\t]\d|#mbean = |kafka\.[a-z]+:type=')),
)


class Series(NamedTuple):
    """A counter of a broker: all requests of a version, or the deprecated ones of one client software."""

    request: str
    version: int
    software: str
    software_version: str

    @property
    def is_deprecated(self) -> bool:
        """Whether it counts only the requests of one client software."""
        return bool(self.software)


class Scrape(NamedTuple):
    """The counters of a broker (`source`) at one time (`at`); either is "" if unknown."""

    source: str
    at: str
    values: dict[Series, int]


class _Sample(NamedTuple):
    """One counter: the labels that identify its broker, the time, the series and the value."""

    broker: str
    at: str
    series: Series
    value: int


def form_of(start: bytes) -> LineForm | None:
    """Detect the form of a dump from the start of its text; None if it is not a dump."""
    # A log may begin with anything, such as a line written by another program.
    if b"Completed request:" in start:
        return None
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((form for form, pattern in _STARTS if pattern.match(text)), None)


class Dump:
    """A dump of metrics while it is read: its scrapes, and the lines that are not counters, by reason.

    `instances` are the times of the client instances whose telemetry is in the dump (KIP-714), each as a
    PushTelemetry request and by its id.
    """

    def __init__(self, path: str, form: LineForm) -> None:
        self.form = form
        self.at, self.stem = _named(Path(path))
        self.scrapes: dict[tuple[str, str], dict[Series, int]] = {}
        self.skipped: list[tuple[Reason, bytes]] = []
        self.others = 0
        self.instances: dict[tuple[LoggedRequest, str], str] = {}

    def read(self, lines: Iterable[bytes]) -> list[Scrape]:
        """Return the scrapes of the dump, in order of time."""
        texts = (line.decode("utf-8", "backslashreplace").rstrip("\r\n") for line in lines)
        read = self._prometheus if self.form is LineForm.PROMETHEUS else self._jmx
        for sample in read(texts):
            # Without a label for the broker, the folder and the name of the file identify it.
            source = sample.broker or self.stem
            values = self.scrapes.setdefault((source, sample.at or self.at), {})
            values[sample.series] = sample.value
        return sorted(Scrape(source, at, values) for (source, at), values in self.scrapes.items())

    def _instance(self, labels: Mapping[str, str], at: str) -> None:
        """Keep a client instance, which has many metrics, once for each day."""
        names = ("client_software_name", "client_software_version", "client_id", "principal", _INSTANCE_ID)
        software, number, client_id, principal, instance = (shortened(labels.get(name, "")) for name in names)
        request = LoggedRequest(
            *(at[:10] or NO_DAY, software, number or UNKNOWN, client_id, principal, ""),
            *(PUSH_TELEMETRY, 0, False, Origin.INSTANCE),
        )
        self.instances.setdefault((request, instance), at)

    def _prometheus(self, lines: Iterable[str]) -> Iterator[_Sample]:
        for line in lines:
            if not line.strip() or line.startswith("#"):
                continue
            match = _LINE.fullmatch(line)
            if match is None:
                self.skipped.append((Reason.NO_COUNTER, line.encode()))
                continue
            labels = dict(_LABEL.findall(match["labels"] or ""))
            if labels.get(_INSTANCE_ID) and labels.get("client_software_name"):
                self._instance(labels, _stamp(match["time"]) or self.at)
                continue
            kind = _kind(match["name"] or labels.get("__name__", ""), labels)
            if kind is None:
                self.others += 1
                continue
            try:
                series = _series(kind, labels)
                yield _Sample(_broker(labels), _stamp(match["time"]), series, _value(match["value"]))
            except Unreadable as error:
                self.skipped.append((error.reason, line.encode()))

    def _jmx(self, lines: Iterable[str]) -> Iterator[_Sample]:
        at, bean = "", ""
        columns: list[str] = []
        for line in lines:
            if not line.strip():
                continue
            if line.startswith('"time"'):
                columns = next(csv.reader([line]))
            elif columns and not line.startswith('"'):
                yield from self._row(columns, line)
            elif (match := _BEANS.fullmatch(line)) is not None:
                bean = match["bean"]
            elif (match := _KEYED.fullmatch(line)) is not None:
                value = match["quoted"] if match["plain"] is None else match["plain"]
                if match["key"] == "time":
                    at = _time(value)
                else:
                    yield from self._attribute(match["key"], value, at, line)
            elif (match := _ATTRIBUTE.fullmatch(line)) is not None and bean:
                yield from self._attribute(f"{bean}:{match['name']}", match["value"], at, line)
            elif not line.startswith("#"):
                self.skipped.append((Reason.NO_COUNTER, line.encode()))

    def _row(self, columns: list[str], line: str) -> Iterator[_Sample]:
        """A row of the table that JmxTool prints: a time, and the values of the columns."""
        cells = line.split(",")
        if len(cells) != len(columns):
            self.skipped.append((Reason.CUT, line.encode()))
            return
        at = _time(cells[0])
        for column, cell in zip(columns[1:], cells[1:], strict=True):
            yield from self._attribute(column, cell, at, line)

    def _attribute(self, key: str, value: str, at: str, line: str) -> Iterator[_Sample]:
        bean, _, attribute = key.rpartition(":")
        domain, _, properties = bean.partition(":")
        labels = {name.strip(): text.strip('"') for name, text in _PROPERTY.findall(properties)}
        kind = labels.get("name", "")
        if (domain, labels.get("type"), attribute) != (_DOMAIN, "RequestMetrics", "Count") or kind not in (
            PLAIN,
            DEPRECATED,
        ):
            self.others += 1
            return
        try:
            yield _Sample("", at, _series(kind, labels), _value(value))
        except Unreadable as error:
            self.skipped.append((error.reason, line.encode()))


def _kind(metric: str, labels: Mapping[str, str]) -> str | None:
    """Which of the counters a metric is, under any naming rules of jmx_exporter; None for other metrics."""
    match = _METRIC.fullmatch(metric)
    if match is None:
        return None
    # In the default format, the name of the bean is a label.
    word = (match["kind"] or labels.get("name", "")).lower()
    if word.startswith("requests"):
        return PLAIN
    return DEPRECATED if word.startswith("deprecated") else None


def _series(kind: str, labels: Mapping[str, str]) -> Series:
    lower = {name.lower(): value for name, value in labels.items()}
    request, version = lower.get("request", ""), lower.get("version", "")
    if not request or not re.fullmatch("[0-9]{1,5}", version) or int(version) > MAX_INT16:
        raise Unreadable(Reason.NO_COUNTER)
    if kind == PLAIN:
        return Series(shortened(request), int(version), "", "")
    name, number = (lower.get(f"clientsoftware{key}", "") or "unknown" for key in ("name", "version"))
    return Series(shortened(request), int(version), shortened(name), shortened(number))


def _value(text: str) -> int:
    try:
        value = float(text)
        if not 0 <= value < 1 << 63:
            raise ValueError(text)
        return int(text) if text.isdecimal() else int(value)
    except ValueError:
        raise Unreadable(Reason.NO_COUNTER) from None


def _broker(labels: Mapping[str, str]) -> str:
    """The labels that Prometheus adds to a scrape target; "" if none names the broker."""
    named = [f"{name}={labels[name]}" for name in ("job", *_INSTANCE) if labels.get(name)]
    return ",".join(named) if any(labels.get(name) for name in _INSTANCE) else ""


def _time(text: str) -> str:
    """The time that JmxTool prints: milliseconds, or a date in the requested format."""
    return _stamp(text) if text.isdecimal() else moment_of(text)[1]


def _stamp(text: str | None) -> str:
    """The time of a timestamp in milliseconds or seconds; "" if it is missing or out of range."""
    if not text:
        return ""
    try:
        number = float(text)
        seconds = number if abs(number) < _SECONDS else number / 1000
        time = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return ""
    return time.isoformat(timespec="milliseconds")


_DATE = re.compile(
    r"(?P<day>(?:19|20)\d\d-?\d\d-?\d\d)"
    r"(?:[T_ -]?(?P<hour>\d\d)[:.-]?(?P<minute>\d\d)(?:[:.-]?(?P<second>\d\d))?)?Z?"
)
_BEFORE_DATE = re.compile(r"(?<!\d)(?=\d)")


def _named(path: Path) -> tuple[str, str]:
    """The time in the name of a file, and its path up to there, which all dumps of a broker share.

    The name of a host may have digits that look like a date: the last date in the name is that of the dump.
    """
    for start in reversed([match.start() for match in _BEFORE_DATE.finditer(path.name)]):
        match = _DATE.match(path.name, start)
        if match is None:
            continue
        day = match["day"].replace("-", "")
        time = f"{match['hour'] or '00'}:{match['minute'] or '00'}:{match['second'] or '00'}"
        at = moment_of(f"{day[:4]}-{day[4:6]}-{day[6:]} {time}")[1]
        if at:
            return at, os.path.join(os.path.realpath(path.parent), path.name[:start])
    return "", os.path.realpath(path)
