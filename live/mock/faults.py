"""What a mock broker lists and serves, and the faults that it can simulate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from wirebook.live.embedded import embedded_layout
from wirebook.live.probe.messages import KEYS, newest_version
from wirebook.specs.kafka.brokers import Broker, order_of
from wirebook.specs.versions import Versions
from wirebook.specs.wire.codec import codec

API_VERSIONS, METADATA = KEYS["ApiVersions"], KEYS["Metadata"]
UNSUPPORTED_VERSION, INVALID_REQUEST = 35, 42

# Since KIP-511, the error names the supported versions of ApiVersions (KAFKA-8843, release 2.4).
_NAMES_VERSIONS_SINCE = (2, 4)
# These threw an exception that nothing caught: no answer, and the connection stayed open.
_SILENT = "0.9.0"


@dataclass(frozen=True)
class BrokerProfile:
    """What a broker lists and serves, by API key, and how it refuses requests.

    `names_versions` is whether error 35 includes the range of ApiVersions; `silent` whether an unknown API
    gets no answer instead of a closed connection. `later` is the profile that later connections meet.
    """

    name: str
    listed: Mapping[int, Versions]
    served: Mapping[int, Versions]
    names_versions: bool = True
    silent: bool = False
    later: BrokerProfile | None = None

    @classmethod
    def of(cls, broker: Broker, listener: str = "") -> BrokerProfile:
        """The profile of a release, on one kind of listener.

        The range of an API that the mock answers itself ends at the newest version whose layout is embedded.
        """
        listed = broker.listed(listener) if broker.negotiates else dict(broker.versions)
        for api, key in KEYS.items():
            if key in listed:
                listed[key] &= Versions(0, newest_version(api))
        served = {key: versions & broker.versions[key] for key, versions in listed.items()}
        return cls(
            broker.release,
            listed,
            served,
            names_versions=order_of(broker.release) >= _NAMES_VERSIONS_SINCE,
            silent=broker.release == _SILENT,
        )

    def with_range(self, key: int, lowest: int, highest: int) -> BrokerProfile:
        """A copy with another range of one API, without serving versions that were not served before."""
        versions = Versions(lowest, highest)
        served = versions & self.served.get(key, Versions.NONE)
        return replace(self, listed={**self.listed, key: versions}, served={**self.served, key: served})

    def without(self, key: int) -> BrokerProfile:
        """A copy without an API."""
        return replace(
            self,
            listed={each: versions for each, versions in self.listed.items() if each != key},
            served={each: versions for each, versions in self.served.items() if each != key},
        )


@dataclass(frozen=True)
class Reply:
    """The reply to a request: pieces of bytes, a description, and whether to close the connection."""

    pieces: tuple[bytes, ...]
    summary: str
    close: bool = False


@dataclass(frozen=True)
class ReceivedRequest:
    """An ApiVersions request to answer, and the error to answer it with."""

    profile: BrokerProfile
    version: int
    correlation: int
    error: int = 0

    @property
    def layout_version(self) -> int:
        """The version of the answer's layout: that of the request, or 0 if that is unsupported."""
        return 0 if self.error == UNSUPPORTED_VERSION else self.version

    @property
    def summary(self) -> str:
        """A description of the answer that a correct broker gives."""
        if not self.error:
            return f"{len(self.profile.listed)} APIs"
        if self.error == UNSUPPORTED_VERSION:
            named = (
                f"naming {self.profile.listed[API_VERSIONS]}" if self.profile.names_versions else "empty list"
            )
            return f"error {self.error}, {named}, layout 0"
        return f"error {self.error}, empty list"

    def body(self, version: int | None = None, features: Mapping[str, object] | None = None) -> bytes:
        """The body of the answer, in the layout of `version` if given."""
        version = self.layout_version if version is None else version
        listed = self.profile.listed
        if self.error:
            named = self.error == UNSUPPORTED_VERSION and self.profile.names_versions
            listed = {API_VERSIONS: listed[API_VERSIONS]} if named else {}
        keys = [
            {"ApiKey": key, "MinVersion": versions.lowest, "MaxVersion": versions.highest}
            for key, versions in listed.items()
        ]
        value = {"ErrorCode": self.error, "ApiKeys": keys, **(features or {})}
        return codec(embedded_layout("ApiVersionsResponse", version)).encode(value)

    def frame(self, body: bytes | None = None) -> bytes:
        """The answer as a frame; all versions use response header 0 (KIP-511)."""
        return framed(self.correlation, self.body() if body is None else body)


def framed(correlation: int, rest: bytes) -> bytes:
    """A frame: its length, the correlation ID, and the rest."""
    return (len(rest) + 4).to_bytes(4, "big") + correlation.to_bytes(4, "big", signed=True) + rest


Responder = Callable[[ReceivedRequest], Reply]


def correct_reply(request: ReceivedRequest) -> Reply:
    """The answer of a correct broker."""
    return Reply((request.frame(),), request.summary)


@dataclass(frozen=True)
class Mode:
    """A behaviour: other ranges, or other answers to ApiVersions.

    `unsupported` answers every request whose key or version is not served; without it, the connection is
    closed.
    """

    help: str
    profile: Callable[[BrokerProfile], BrokerProfile] = lambda profile: profile
    answer: Responder = correct_reply
    unsupported: Responder | None = None


def _at_most(highest: int, *, names: bool = True) -> Callable[[BrokerProfile], BrokerProfile]:
    return lambda profile: replace(profile.with_range(API_VERSIONS, 0, highest), names_versions=names)


def _in_requested_version(request: ReceivedRequest) -> Reply:
    if request.error != UNSUPPORTED_VERSION:
        return correct_reply(request)
    version = min(max(request.version, 0), newest_version("ApiVersions"))
    return Reply((request.frame(request.body(version)),), f"error 35, layout {version}")


def _refused(request: ReceivedRequest) -> Reply:
    refused = replace(request, error=INVALID_REQUEST) if not request.error else request
    return Reply((refused.frame(),), refused.summary)


def _header_1(request: ReceivedRequest) -> Reply:
    if request.layout_version < 3:
        return correct_reply(request)
    return Reply((request.frame(b"\0" + request.body()),), f"{request.summary}, header 1")


def _correlation_only(request: ReceivedRequest) -> Reply:
    return Reply((request.frame(b""),), "only the correlation ID")


def _zero_frame(request: ReceivedRequest) -> Reply:
    return Reply((bytes(4),), "a frame of zero bytes")


def _closed(request: ReceivedRequest) -> Reply:
    return Reply((), "", close=True)


def _silence(request: ReceivedRequest) -> Reply:
    return Reply((), "nothing")


def _wrong_correlation(request: ReceivedRequest) -> Reply:
    other = (request.correlation + 1000) % (1 << 31)
    return Reply((framed(other, request.body()),), f"{request.summary}, correlation ID {other}")


def _truncated(request: ReceivedRequest) -> Reply:
    """A complete frame whose body ends in the middle of the list."""
    body = request.body()
    return Reply((request.frame(body[: len(body) // 2]),), "a truncated body")


def _half_frame(request: ReceivedRequest) -> Reply:
    frame = request.frame()
    return Reply((frame[: len(frame) // 2],), "half a frame, and then nothing")


def _slow(request: ReceivedRequest) -> Reply:
    frame = request.frame()
    step = -(-len(frame) // 8)
    return Reply(
        tuple(frame[at : at + step] for at in range(0, len(frame), step)), f"{request.summary}, slowly"
    )


def _unknown_tags(request: ReceivedRequest) -> Reply:
    if request.layout_version < 3:
        return correct_reply(request)
    # The last byte of the body is the empty section of tagged fields.
    tagged = request.body()[:-1] + bytes.fromhex("02 6402cafe e80700")
    return Reply((request.frame(tagged),), f"{request.summary}, 2 unknown tags")


def _downgrade(profile: BrokerProfile) -> BrokerProfile:
    """Later connections meet a broker that was not upgraded yet: ApiVersions to 1, Metadata to 1."""
    before = profile.with_range(API_VERSIONS, 0, 1).with_range(METADATA, 0, 1)
    return replace(profile, later=replace(before, names_versions=False))


MODES: dict[str, Mode] = {
    "normal": Mode("a broker of the release that behaves correctly"),
    "max-0": Mode("only ApiVersions 0: error 35 in layout 0, which names the range (KIP-511)", _at_most(0)),
    "max-2": Mode("ApiVersions 0-2: the same, and the client may retry with version 2", _at_most(2)),
    "max-0-empty-list": Mode(
        "only ApiVersions 0: error 35 with an empty list, as in 0.10 to 2.3", _at_most(0, names=False)
    ),
    "error-same-version": Mode(
        "only ApiVersions 0: error 35 in the layout of the requested version",
        _at_most(0),
        _in_requested_version,
    ),
    "refused": Mode("ApiVersions is answered with error 42 and an empty list", answer=_refused),
    "response-header-1": Mode("ApiVersions 3 and later with ResponseHeader 1 instead of 0", answer=_header_1),
    "correlation-only": Mode(
        "an empty response, the correlation ID only, also to every unsupported request",
        answer=_correlation_only,
        unsupported=_correlation_only,
    ),
    "empty-frame": Mode(
        "a frame of zero bytes, also for every unsupported request",
        answer=_zero_frame,
        unsupported=_zero_frame,
    ),
    "close": Mode("the connection is closed on ApiVersions", answer=_closed),
    "silent": Mode("ApiVersions gets no answer, as in 0.9.0", answer=_silence),
    "metadata-too-new": Mode(
        "Metadata is listed as 50-60, versions that no client has",
        lambda profile: profile.with_range(METADATA, 50, 60),
    ),
    "metadata-missing": Mode("Metadata is not listed", lambda profile: profile.without(METADATA)),
    "metadata-0-only": Mode("only Metadata 0", lambda profile: profile.with_range(METADATA, 0, 0)),
    "downgrade": Mode("connections after the first reach an older broker: Metadata 0-1", _downgrade),
    "unknown-tags": Mode("ApiVersions 3 and later with tags that no version defines", answer=_unknown_tags),
    "truncated": Mode("the body ends in the middle of the list", answer=_truncated),
    "wrong-correlation": Mode("a wrong correlation ID", answer=_wrong_correlation),
    "half-frame": Mode("half of the answer, and then silence", answer=_half_frame),
    "slow": Mode("the answer arrives in eight pieces, a tenth of a second apart", answer=_slow),
}
