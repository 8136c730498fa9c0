"""Joins the lines that container runtimes split: Kubernetes' CRI format, and Docker's JSON files.

containerd and CRI-O write `TIME STREAM TAG TEXT` and split what is longer than 16 KiB: the tag is P for all
parts but the last, which has F (Kubernetes, logging design; `cri-api`). Docker's json-file driver writes
`{"log":TEXT,"stream":…,"time":…}`: a part that another one follows has 16 KiB of text without a line end.
Collectors write lines with the same keys, and without any line end.
"""

from __future__ import annotations

import json
import re

from wirebook.specs.limits import MAX_LINE

_CRI = re.compile(
    rb"(?P<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (?P<stream>stdout|stderr) (?P<tag>[PF])\S* "
)
_DOCKER, _STREAM_KEY = b'{"log":"', b'","stream":"'
_STREAM = re.compile(rb'","stream":"(stdout|stderr)"')
_FIRST = frozenset(byte.to_bytes() for byte in b"{0123456789")
_PART = 1 << 14
_REPLACEMENT = "\ufffd".encode()
LONGEST_PART = 1 << 17
"""The longest line of a container format, in bytes: 16 KiB of text, each character escaped."""


def part_of(line: bytes) -> tuple[bytes, bool] | None:
    """The stream of a line of a container format, and whether its next part follows; None for other lines."""
    match = _CRI.match(line)
    if match is not None:
        return match["stream"], match["tag"] == b"P"
    end = _STREAM.search(line, max(0, line.rfind(_STREAM_KEY))) if line.startswith(_DOCKER) else None
    if end is None:
        return None
    escaped = line[len(_DOCKER) : end.start()]
    if len(escaped) < _PART:
        return end[1], False
    try:
        return end[1], _is_followed(_raw(json.loads(decoded(b'"%b"' % escaped))))
    except ValueError:
        return None


def _is_followed(text: bytes) -> bool:
    """Whether the text of a line of Docker's driver is a part that is not the last one.

    The driver replaces each byte that is not UTF-8 by three.
    """
    if text.endswith(b"\n"):
        return False
    return len(text) - 2 * text.count(_REPLACEMENT) <= _PART <= len(text)


def decoded(line: bytes) -> str:
    """A text of a log, with each byte that is not UTF-8 as an escape."""
    return line.decode("utf-8", "surrogateescape")


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class Parts:
    """The parts of a line that are read so far, by stream.

    `time` is when the runtime read the first part of what `whole` returned last; b"" if no runtime did.
    """

    def __init__(self) -> None:
        self.open: dict[bytes, list[bytes]] = {}
        self.time = b""
        self._sizes: dict[bytes, int] = {}
        self._times: dict[bytes, bytes] = {}

    def whole(self, line: bytes) -> bytes | None:
        """The text that the container wrote, once its last part is read; None before that.

        A line of no container format is returned as it is.
        """
        self.time = b""
        if line[:1] not in _FIRST:
            return line
        match = _CRI.match(line)
        if match is not None:
            return self._add(match["stream"], match["time"], line[match.end() :], match["tag"] == b"F")
        if not line.startswith(_DOCKER):
            return line
        try:
            value = json.loads(decoded(line))
            text, stream, time = value["log"], value["stream"], value["time"]
            raw = _raw(text)
            return self._add(stream.encode(), time.encode(), raw.rstrip(b"\r\n"), not _is_followed(raw))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return line

    def _add(self, stream: bytes, time: bytes, text: bytes, is_last: bool) -> bytes | None:
        parts = self.open.get(stream)
        if not is_last:
            if parts is None:
                parts = self.open[stream] = []
                self._sizes[stream], self._times[stream] = 0, time
            if text and self._sizes[stream] <= MAX_LINE:
                parts.append(text)
                self._sizes[stream] += len(text)
            return None
        if parts is None:
            self.time = time
            return text
        self.time = self._times[stream]
        del self.open[stream]
        return b"".join([*parts, text])[: MAX_LINE + 1]

    def rest(self) -> list[bytes]:
        """What is left of lines whose last part is missing."""
        left = [b"".join(parts) for _, parts in sorted(self.open.items())]
        self.open = {}
        return left
