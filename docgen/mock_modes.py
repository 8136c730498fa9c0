"""The faults that a mock broker can have, by name: what clients meet in the wild."""

from __future__ import annotations

MODES = {
    "normal": "as the release does",
    "max-0": "knows ApiVersions 0 alone: later ones get error 35 with version 0 and the range (KIP-511)",
    "max-2": "the same, with versions 0 to 2",
    "max-0-empty-list": "error 35 with an empty list, as brokers 0.10 to 2.3 answer",
    "error-same-version": "error 35 in the version that was asked for (wrong: no client is sure to read it)",
    "response-header-1": "ApiVersions 3 and later with the flexible response header (wrong: KIP-511)",
    "correlation-only": "an answer of nothing but the correlation id: an idea of KIP-35's drafts",
    "empty-frame": "an answer of no byte at all",
    "close": "closes the connection when asked for ApiVersions",
    "silent": "never answers ApiVersions, as 0.9.0 does",
    "garbage": "answers ApiVersions with bytes that mean nothing",
    "half-frame": "stops in the middle of its answer, and keeps the connection",
    "wrong-correlation": "answers ApiVersions with another correlation id",
    "metadata-too-new": "lists Metadata 50 to 60 alone",
    "metadata-missing": "does not list Metadata",
    "metadata-0-only": "lists Metadata 0 alone",
}
