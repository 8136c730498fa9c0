"""Joins the lines that container runtimes split: Kubernetes' CRI format, and Docker's JSON files.

containerd and CRI-O write `TIME STREAM TAG TEXT` and split what is longer than 16 KiB: the tag is P for all
parts but the last, which has F (Kubernetes, logging design; `cri-api`). Docker's json-file driver writes
`{"log":TEXT,"stream":…,"time":…}`, and only the text of the last part ends with a line end.
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
    return end[1], not _is_whole(line[len(_DOCKER) : end.start()])


def _is_whole(text: bytes) -> bool:
    """Whether JSON's form of a text ends with a line end; a backslash before it is that of `\\\\n`."""
    if not text.endswith(b"\\n"):
        return False
    slashes = len(text) - 1 - len(text[:-1].rstrip(b"\\"))
    return slashes % 2 == 1


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
            value = json.loads(line.decode("utf-8", "surrogateescape"))
            text, stream, time = value["log"], value["stream"], value["time"]
            raw = text.encode("utf-8", "surrogateescape")
            return self._add(stream.encode(), time.encode(), raw.rstrip(b"\r\n"), raw.endswith(b"\n"))
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
