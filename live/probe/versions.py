"""Finds a version of ApiVersions that the broker supports, and reads the response (KIP-35, KIP-511)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from wirebook.specs.wire.codec import WireError

UNSUPPORTED_VERSION = 35
# Kafka has about a hundred; a broker that lists more than this is broken or hostile.


def fetch_versions(session: ProbeSession) -> None:
    """Find the version of ApiVersions that both sides support, and read the answer in it."""
    version, tried = newest_version("ApiVersions"), set[int]()
    has_closed = False
    while True:
        tried.add(version)
        try:
            data = session.send("ApiVersions", version, api_versions_request(version))
        except ProbeError as failure:
            if failure.code != "closed":
                raise
            if has_closed:
                raise _why_closed(session, failure) from None
            has_closed, version = True, 0
            continue
        if has_closed:
            session.note("it closes the connection where a broker answers error 35 (KIP-511)")
        body, offered = _read_versions(session, version, data)
        if body is not None:
            session.answer.asked = version
            _record(session, body)
            return
        version = _next_version(session, version, offered, tried)


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
    body = session.body("ApiVersions", version, data)
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
    body = decoded("ApiVersions", 0, data)
    if isinstance(body, WireError):
        session.outcome(f"{named_error(UNSUPPORTED_VERSION)} in another layout")
        session.note(
            f"its error 35 to ApiVersions {version} does not have the layout of version 0, which KIP-511 "
            f"requires: {data[:40].hex()}; clients that read the versions in it fail"
        )
        return None
    named = next((item for item in body["ApiKeys"] if item["ApiKey"] == KEYS["ApiVersions"]), None)
    if named is None:
        session.outcome(f"{named_error(UNSUPPORTED_VERSION)}; names no versions")
        return None
    lowest, highest = named["MinVersion"], named["MaxVersion"]
    session.outcome(f"{named_error(UNSUPPORTED_VERSION)}; names {lowest} to {highest}")
    return Versions(lowest, highest) if 0 <= lowest <= highest else None


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
    answer.supported_features = tuple(
        FeatureRange(feature["Name"], feature["MinVersion"], feature["MaxVersion"])
        for feature in (body.get("SupportedFeatures") or ())[:MAX_APIS]
    )
    answer.finalized_features = tuple(
        FeatureRange(feature["Name"], feature["MinVersionLevel"], feature["MaxVersionLevel"])
        for feature in (body.get("FinalizedFeatures") or ())[:MAX_APIS]
    )
