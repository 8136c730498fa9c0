"""Queries live brokers for their versions (KIP-35, KIP-511), with TLS and SASL if they require them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wirebook.live.probe.address import Address, ProbeError
from wirebook.live.probe.answer import Answer, Cluster, ClusterBroker
from wirebook.live.probe.login import discover_mechanisms, log_in
from wirebook.live.probe.session import ProbeSession, Settings
from wirebook.live.probe.versions import fetch_versions
from wirebook.specs.model import Json
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

_AT_ONCE = 16


def versions_of(address: str) -> Mapping[int, Versions]:
    """The versions that a live broker lists, by API key. Raises InputError with the reason if it fails."""
    answer = probe_broker(Address.parse(address))
    if answer.failure is not None:
        raise InputError(f"{answer.address}: {visible(answer.failure.message)}")
    return answer.versions


def probe_broker(address: Address, settings: Settings | None = None) -> Answer:
    """Query a broker; always returns within the time limit."""
    session = ProbeSession(address, settings or Settings())
    try:
        fetch_versions(session)
        if session.settings.login is not None:
            log_in(session, session.settings.login)
        _read_cluster(session)
    except ProbeError as failure:
        session.answer.failure = failure
    finally:
        session.close()
    return session.answer


def probe_brokers(addresses: Sequence[Address], settings: Settings) -> list[Answer]:
    """Query brokers concurrently; returns their answers in the order of the addresses."""
    answers: dict[int, Answer] = {}
    waiting = iter(enumerate(addresses))
    lock = threading.Lock()
    crashes: list[BaseException] = []

    def work() -> None:
        while True:
            with lock:
                number, address = next(waiting, (-1, None))
            if address is None:
                return
            try:
                answers[number] = probe_broker(address, settings)
            except BaseException as error:
                crashes.append(error)
                return

    threads = [threading.Thread(target=work, daemon=True) for _ in addresses[:_AT_ONCE]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if crashes:
        raise crashes[0]
    return [answers[number] for number in range(len(addresses))]


def _read_cluster(session: ProbeSession) -> None:
    """Request the cluster's name with Metadata; a listener that refuses this requires SASL.

    Errors here are only noted, because the versions are already known. A controller has no Metadata API; only
    SaslHandshake shows whether it requires SASL.
    """
    version = session.usable("Metadata")
    # Version 0 cannot request zero topics.
    if not version:
        if session.settings.login is None:
            discover_mechanisms(session, refused=False)
        return
    value: dict[str, Json] = {"Topics": []}
    if version >= 4:
        value["AllowAutoTopicCreation"] = False
    try:
        body = session.call("Metadata", version, value)
    except ProbeError as failure:
        if failure.code == "closed" and session.settings.login is None:
            discover_mechanisms(session, refused=True)
        else:
            session.note(f"Metadata {version}: {failure.message}")
        return
    brokers = body.get("Brokers") or []
    session.outcome(f"{len(brokers)} brokers")
    session.answer.cluster = Cluster(
        body.get("ClusterId"),
        tuple(ClusterBroker(broker["NodeId"], broker["Host"], broker["Port"]) for broker in brokers[:1000]),
    )


def addresses(words: Iterable[str]) -> list[Address]:
    """Parse addresses like HOST:PORT,HOST:PORT, without duplicates. Raises InputError."""

    def each() -> Iterator[Address]:
        for word in words:
            for text in word.split(","):
                yield Address.parse(text)

    return list(dict.fromkeys(each()))
