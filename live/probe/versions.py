"""Finds a version of ApiVersions that the broker supports, and reads the response (KIP-35, KIP-511)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirebook.live.embedded import embedded_layout
from wirebook.live.probe.address import ProbeError
from wirebook.live.probe.answer import FeatureRange
from wirebook.live.probe.connection import Connection
from wirebook.live.probe.messages import (
    BODY,
    KEYS,
    api_versions_request,
    decoded,
    named_error,
    newest_version,
)
from wirebook.live.probe.session import ProbeSession
from wirebook.live.probe.tls import speaks_tls
from wirebook.specs.limits import MAX_APIS
from wirebook.specs.versions import MAX_VERSION, Versions
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.scalars import WireError

UNSUPPORTED_VERSION = 35
# Kafka has about a hundred; a broker that lists more than this is broken or hostile.


def fetch_versions(session: ProbeSession) -> None:
    """Find the version of ApiVersions that both sides support, and read the answer in it."""
    newest = newest_version("ApiVersions")
    version, tried = newest, set[int]()
    while True:
        tried.add(version)
        try:
            data = session.send("ApiVersions", version, api_versions_request(version))
        except ProbeError as failure:
            if failure.code != "closed":
                raise
            if len(tried) > 1:
                # The previous answer closed the connection: try again on a new one.
                session.note("it closes the connection after error 35; KIP-511 requires it to stay open")
                data = _again(session, version)
            elif version > 0:
                data = _after_close(session, version, failure)
                version = 0
            else:
                raise _why_closed(session, failure) from None
        body, offered = _read_versions(session, version, data)
        if body is not None:
            session.answer.asked = version
            _record(session, body)
            return
        version = _next_version(session, version, offered, tried)


def _again(session: ProbeSession, version: int) -> bytes:
    session.close()
    try:
        return session.send("ApiVersions", version, api_versions_request(version))
    except ProbeError as failure:
        raise (_why_closed(session, failure) if failure.code == "closed" else failure) from None


def _after_close(session: ProbeSession, version: int, failure: ProbeError) -> bytes:
    """The answer to version 0 from a broker that closes the connection on a newer version."""
    try:
        data = session.send("ApiVersions", 0, {})
    except ProbeError as second:
        raise (_why_closed(session, failure) if second.code == "closed" else second) from None
    session.note(f"it closes the connection on ApiVersions {version}; a broker answers error 35 (KIP-511)")
    return data


def _why_closed(session: ProbeSession, failure: ProbeError) -> ProbeError:
    if session.settings.tls is None and speaks_tls(session.address, session.deadline.part(0.8)):
        return ProbeError("tls-wanted", "this port uses TLS: add --tls")
    if session.settings.tls is not None:
        # A request in flight when the alert arrived may have hidden it.
        try:
            with Connection(session.address, session.deadline, session.settings.tls) as connection:
                connection.await_alert()
        except ProbeError as alert:
            if alert.code != "closed":
                return alert
    return ProbeError(
        failure.code,
        "it closes the connection without an answer to ApiVersions: a broker before 0.10.0, a listener "
        "that requires TLS or SASL, or not a broker",
    )


def _read_versions(
    session: ProbeSession, version: int, data: bytes
) -> tuple[Mapping[str, Any] | None, Versions | None]:
    """Read the body; None if another version must be tried, with the versions that the answer names."""
    if int.from_bytes(data[BODY : BODY + 2], "big") == UNSUPPORTED_VERSION:
        return None, _refused(session, version, data)
    body, problem = _decode_any(session, version, data)
    if body is None:
        raise ProbeError("garbage", f"the answer to ApiVersions {version} does not parse: {problem}")
    error = body["ErrorCode"]
    session.outcome(f"{len(body['ApiKeys'])} APIs" if not error else named_error(error))
    if not error:
        return body, None
    if version == 0:
        raise ProbeError("refused-request", f"it answers ApiVersions with {named_error(error)}")
    session.note(f"it answers ApiVersions {version} with {named_error(error)}")
    return None, Versions(0, 0)


def _refused(session: ProbeSession, version: int, data: bytes) -> Versions | None:
    """The versions that an answer with error 35 names; it has the layout of version 0 (KIP-511)."""
    for layout_version in dict.fromkeys((0, version)):
        body = decoded("ApiVersions", layout_version, data)
        if isinstance(body, WireError):
            continue
        if layout_version:
            session.note(
                f"its error 35 has the layout of version {layout_version}, which was requested; "
                "KIP-511 requires that of version 0"
            )
        named = next((item for item in body["ApiKeys"] if item["ApiKey"] == KEYS["ApiVersions"]), None)
        named_versions, offered = "names no versions", None
        if named is not None:
            lowest, highest = named["MinVersion"], named["MaxVersion"]
            named_versions = f"names {lowest} to {highest}"
            if 0 <= lowest <= highest:
                offered = Versions(lowest, highest)
        session.outcome(f"{named_error(UNSUPPORTED_VERSION)}; {named_versions}")
        return offered
    session.outcome(f"{named_error(UNSUPPORTED_VERSION)} in a corrupt layout")
    session.note(
        f"its error 35 to ApiVersions {version} is corrupt, the layout of no version: {data[:40].hex()}; "
        "clients that read the versions in it fail"
    )
    return None


def _decode_any(session: ProbeSession, version: int, data: bytes) -> tuple[Mapping[str, Any] | None, str]:
    """The body in the requested layout, or else in the layouts that incorrect servers use."""
    body = decoded("ApiVersions", version, data)
    if not isinstance(body, WireError):
        _note_defaults(session, version, body)
        return body, ""
    problem = str(body)
    flexible = embedded_layout("ApiVersionsResponse", version).flexible
    if flexible and data[BODY : BODY + 1] == b"\0":
        body = decoded("ApiVersions", version, data, start=BODY + 1)
        if not isinstance(body, WireError):
            session.note(
                f"its answer to ApiVersions {version} has a tagged section in the header, which "
                "KIP-511 forbids: most clients fail on it"
            )
            return body, ""
    for other in range(newest_version("ApiVersions"), -1, -1):
        body = decoded("ApiVersions", other, data)
        if other != version and not isinstance(body, WireError):
            session.note(f"it answers ApiVersions {version} in the layout of version {other}")
            return body, ""
    body = decoded("ApiVersions", version, data, strict=False)
    if not isinstance(body, WireError):
        session.note(f"its answer to ApiVersions {version} is longer than its layout: {problem}")
        return body, ""
    return None, problem


def _note_defaults(session: ProbeSession, version: int, body: Mapping[str, Any]) -> None:
    """Note tagged fields that hold their defaults: Kafka omits them, and some clients cannot read them."""
    of = codec(embedded_layout("ApiVersionsResponse", version))
    needed = of.decode(of.encode(body))
    defaults = [name for name in body if name not in needed]
    if defaults:
        session.note(
            f"its answer to ApiVersions {version} contains tagged fields that hold their defaults "
            f"({', '.join(defaults)}): librdkafka before 2.2, also in kcat, cannot read it"
        )


def _next_version(session: ProbeSession, version: int, offered: Versions | None, tried: set[int]) -> int:
    """The version to try after error 35. Raises ProbeError if none is left."""
    newest = newest_version("ApiVersions")
    if offered is None:
        following = 0
    elif offered.lowest > newest:
        raise ProbeError(
            "unsupported", f"it supports only ApiVersions {offered}, and the newest known version is {newest}"
        )
    else:
        following = min(offered.highest, newest)
        if following in tried:
            session.note(f"it refuses ApiVersions {version} although it lists {offered}")
            following = 0
    if following in tried:
        raise ProbeError("unsupported", "it answers error 35 to every version of ApiVersions, even to 0")
    return following


def _record(session: ProbeSession, body: Mapping[str, Any]) -> None:
    """Record the answer, without impossible entries."""
    answer = session.answer
    if len(body["ApiKeys"]) > MAX_APIS:
        session.note(f"it lists {len(body['ApiKeys']):,} APIs; only the first {MAX_APIS:,} are used")
    for api in body["ApiKeys"][:MAX_APIS]:
        key, lowest, highest = api["ApiKey"], api["MinVersion"], api["MaxVersion"]
        if not (key >= 0 and 0 <= lowest <= highest <= MAX_VERSION):
            session.note(f"it lists key {key} with the versions {lowest} to {highest}, which is impossible")
        elif key in answer.versions:
            session.note(f"it lists key {key} twice; the first entry is used")
        else:
            answer.versions[key] = Versions(lowest, highest)
    if not answer.versions:
        raise ProbeError("empty", "it answers ApiVersions without naming any API")
    answer.throttle_time_ms = body.get("ThrottleTimeMs", 0)
    answer.supported_features = tuple(
        FeatureRange(feature["Name"], feature["MinVersion"], feature["MaxVersion"])
        for feature in (body.get("SupportedFeatures") or ())[:MAX_APIS]
    )
    answer.finalized_features = tuple(
        FeatureRange(feature["Name"], feature["MinVersionLevel"], feature["MaxVersionLevel"])
        for feature in (body.get("FinalizedFeatures") or ())[:MAX_APIS]
    )
    epoch = body.get("FinalizedFeaturesEpoch", -1)
    answer.finalized_epoch = epoch if epoch >= 0 else None
