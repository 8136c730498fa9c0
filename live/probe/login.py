"""Logs in to a broker with SASL: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wirebook.live.probe.address import ProbeError
from wirebook.live.probe.answer import SaslStatus
from wirebook.live.probe.messages import KEYS, named_error
from wirebook.live.probe.session import Login, ProbeSession
from wirebook.live.scram import ScramClient, ScramError
from wirebook.specs.versions import Versions

PLAINTEXT = (
    "PLAIN sends the password in plain text on this unencrypted connection: use --tls, or "
    "--allow-plaintext if everyone on the network may read it"
)
UNSUPPORTED_SASL_MECHANISM, ILLEGAL_SASL_STATE, SASL_AUTHENTICATION_FAILED = 33, 34, 58


def log_in(session: ProbeSession, login: Login) -> None:
    """Authenticate on the connection. Raises ProbeError, also if the network could read the password."""
    if login.mechanism == "PLAIN" and session.settings.tls is None and not session.settings.allow_plaintext:
        raise ProbeError("plaintext", PLAINTEXT)
    _handshake(session, login.mechanism)
    version = session.usable("SaslAuthenticate")
    if version is None:
        raise ProbeError("sasl", "it lists no known version of SaslAuthenticate")
    try:
        _exchange(session, login, version)
    except ScramError as error:
        raise ProbeError("sasl", f"SCRAM fails: {error}") from None
    except ProbeError as failure:
        if failure.code != "closed":
            raise
        raise ProbeError(
            "credentials", "it closes the connection during authentication: probably wrong credentials"
        ) from None
    assert session.answer.sasl is not None
    session.answer.sasl = replace(session.answer.sasl, mechanism=login.mechanism)


def _handshake(session: ProbeSession, mechanism: str) -> None:
    offered = session.answer.versions.get(KEYS["SaslHandshake"], Versions.NONE)
    if 1 not in offered:
        raise ProbeError(
            "no-sasl",
            f"it has only SaslHandshake {offered}, as before 1.0; tokens without a header are not supported"
            if offered
            else "this listener has no SASL: SaslHandshake is not among its APIs",
        )
    try:
        body = session.call("SaslHandshake", 1, {"Mechanism": mechanism})
    except ProbeError as failure:
        if failure.code != "closed":
            raise
        raise ProbeError(
            "mechanism",
            f"it closes the connection on a SaslHandshake for {mechanism}, without a reason",
        ) from None
    mechanisms = [str(name) for name in body["Mechanisms"]]
    error = body["ErrorCode"]
    if error == UNSUPPORTED_SASL_MECHANISM:
        raise ProbeError(
            "mechanism",
            f"it does not support {mechanism}, but {', '.join(mechanisms) or 'names no other mechanism'}",
        )
    if error == ILLEGAL_SASL_STATE:
        raise ProbeError("no-sasl", "this listener has no SASL (error 34): remove --sasl")
    if error:
        raise ProbeError("sasl", f"it answers SaslHandshake with {named_error(error)}")
    session.answer.sasl = SaslStatus(tuple(mechanisms))


def _exchange(session: ProbeSession, login: Login, version: int) -> None:
    """Exchange the tokens of the mechanism. Raises ProbeError, ScramError."""
    if login.mechanism == "PLAIN":
        plain = f"\0{login.user}\0{login.password}".encode()
        _token(session, plain, version)
        return
    scram = ScramClient(login.mechanism, login.user, login.password)
    first = _token(session, scram.first(), version)
    last = _token(session, scram.final(bytes.fromhex(first["AuthBytes"])), version)
    scram.check(bytes.fromhex(last["AuthBytes"]))


def _token(session: ProbeSession, token: bytes, version: int) -> Mapping[str, Any]:
    body = session.call("SaslAuthenticate", version, {"AuthBytes": token.hex()})
    error = body["ErrorCode"]
    if error:
        session.outcome(named_error(error))
        message = body.get("ErrorMessage")
        code = "credentials" if error == SASL_AUTHENTICATION_FAILED else "sasl"
        quoted = f': "{str(message)[:300]}"' if message else ""
        raise ProbeError(code, f"authentication fails with {named_error(error)}{quoted}")
    session.outcome("accepted")
    return body


def discover_mechanisms(session: ProbeSession, refused: bool) -> None:
    """Find out with which mechanisms clients log in to a listener.

    `refused` is whether it closed the connection on a request, which means that it requires SASL, if it has
    that.
    """
    mechanisms: list[str] = []
    offered = session.answer.versions.get(KEYS["SaslHandshake"], Versions.NONE)
    # Some brokers hang up on a mechanism that they do not support, without naming those that they do.
    for mechanism in ("PLAIN", "SCRAM-SHA-512") if 1 in offered else ():
        try:
            body = session.call("SaslHandshake", 1, {"Mechanism": mechanism})
        except ProbeError as failure:
            if failure.code == "closed":
                continue
            if refused:
                session.note(f"it closes the connection on Metadata; SaslHandshake 1: {failure.message}")
            return
        if body["ErrorCode"] == ILLEGAL_SASL_STATE:
            session.outcome(named_error(ILLEGAL_SASL_STATE))
            offered = Versions.NONE
        mechanisms = [str(name) for name in body["Mechanisms"]]
        break
    if not offered:
        if refused:
            session.note("it closes the connection on Metadata, and this listener has no SASL")
        return
    how = f" ({', '.join(mechanisms)})" if mechanisms else ""
    if refused:
        session.note(f"it requires SASL{how} before any other request: log in with --sasl and --user")
    elif mechanisms:
        session.note(f"it has SASL{how} and probably requires it: log in with --sasl and --user")
    if refused or mechanisms:
        session.answer.sasl = SaslStatus(tuple(mechanisms))
