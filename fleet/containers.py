"""Joins the lines that container runtimes split: Kubernetes' CRI format, and Docker's JSON files.

containerd and CRI-O write `TIME STREAM TAG TEXT` and split what is longer than 16 KiB: the tag is P
for all parts but the last, which has F (Kubernetes, logging design; `cri-api`). Docker's json-file
driver writes `{"log":TEXT,"stream":…,"time":…}`: a part that another one follows has 16 KiB of text
without a line end. Collectors write lines with the same keys, and without any line end.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import NamedTuple

from wirebook.specs.limits import MAX_LINE

_CRI = re.compile(
    rb"(?P<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (?P<stream>stdout|stderr) "
    rb"(?P<tag>[PF])\S* "
)
_DOCKER = b'{"log":"'
_PART = 1 << 14
_REPLACEMENT = "\ufffd".encode()


class Text(NamedTuple):
    """What was logged in a line, and when a container runtime read it; b"" if none did."""

    text: bytes
    time: bytes = b""


class _Part(NamedTuple):
    """What a line of a container format has; it is open if its next part follows."""

    stream: bytes
    time: bytes
    text: bytes
    is_open: bool


def decoded(line: bytes) -> str:
    """A text of a log, with each byte that is not UTF-8 as an escape."""
    return line.decode("utf-8", "surrogateescape")


class Parts:
    """The parts of lines of a file that are read so far, by stream."""

    def __init__(self) -> None:
        self._open: defaultdict[bytes, list[_Part]] = defaultdict(list)

    def whole(self, line: bytes) -> Text | None:
        """What was logged in a line, once its last part is read; None before that.

        A line of no container format is returned as it is.
        """
        part = _part_of(line)
        if part is None:
            return Text(line)
        self._open[part.stream].append(part)
        return None if part.is_open else _joined(self._open.pop(part.stream))

    def unfinished(self) -> list[Text]:
        """What is left of texts whose last part is missing."""
        return [_joined(parts) for _, parts in sorted(self._open.items())]


def _joined(parts: list[_Part]) -> Text:
    return Text(b"".join(part.text for part in parts)[: MAX_LINE + 1], parts[0].time)


def _part_of(line: bytes) -> _Part | None:
    """A line of a container format; None for other lines."""
    match = _CRI.match(line)
    if match is not None:
        return _Part(match["stream"], match["time"], line[match.end() :], match["tag"] == b"P")
    if not line.startswith(_DOCKER):
        return None
    try:
        value = json.loads(decoded(line))
        text = value["log"].encode("utf-8", "surrogateescape")
        stream, time = value["stream"].encode(), value["time"].encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    # The driver replaces each byte that is not UTF-8 by three.
    shortest = len(text) - 2 * text.count(_REPLACEMENT)
    is_full = shortest <= _PART <= len(text)
    return _Part(stream, time, text.rstrip(b"\r\n"), is_full and not text.endswith(b"\n"))
