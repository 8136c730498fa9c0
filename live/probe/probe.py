"""Asks live brokers for their versions, as KIP-35 and KIP-511 say, with TLS and SASL where they want them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wirebook.live.probe.connection import Address, ProbeError
from wirebook.live.probe.login import ask_mechanisms, log_in
from wirebook.live.probe.session import Answer, Settings, Talk
from wirebook.live.probe.versions import ask_versions
from wirebook.specs.model import Json
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

_AT_ONCE = 16


def versions_of(address: str) -> Mapping[int, Versions]:
    """The versions that a live broker lists, by API key. Raises InputError with the reason if it does not."""
    answer = ask(Address.parse(address))
    if answer.failure is not None:
        from wirebook.specs.printable import visible

        raise InputError(f"{answer.address}: {visible(answer.failure.message)}")
    return answer.versions


def ask(address: Address, settings: Settings | None = None) -> Answer:
    """Ask one broker; returns within the time limit, whatever is there."""
    talk = Talk(address, settings or Settings())
    try:
        ask_versions(talk)
        if talk.settings.login is not None:
            log_in(talk, talk.settings.login)
        _look_further(talk)
    except ProbeError as failure:
        talk.answer.failure = failure
    finally:
        talk.close()
    return talk.answer


def ask_all(addresses: Sequence[Address], settings: Settings) -> list[Answer]:
    """Ask brokers at once; their answers in the order of the addresses."""
    answers: dict[int, Answer] = {}
    waiting = iter(enumerate(addresses))
    lock = threading.Lock()
    crashes: list[BaseException] = []

    def work() -> None:
        while True:
            with lock:
                place, address = next(waiting, (-1, None))
            if address is None:
                return
            try:
                answers[place] = ask(address, settings)
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
    return [answers[place] for place in range(len(addresses))]


def _look_further(talk: Talk) -> None:
    """Ask Metadata for the cluster's name; a listener that refuses it wants SASL before.

    Whatever goes wrong here is a note: the versions are known by now. A controller has no Metadata, and
    tells by SaslHandshake alone.
    """
    version = talk.usable("Metadata")
    # Version 0 cannot ask for no topics.
    if not version:
        if talk.settings.login is None:
            ask_mechanisms(talk, refused=False)
        return
    value: dict[str, Json] = {"Topics": []}
    if version >= 4:
        value["AllowAutoTopicCreation"] = False
    try:
        body = talk.say("Metadata", version, value)
    except ProbeError as failure:
        if failure.code == "closed" and talk.settings.login is None:
            ask_mechanisms(talk, refused=True)
        else:
            talk.note(f"Metadata {version}: {failure.message}")
        return
    brokers = body.get("Brokers") or []
    talk.outcome(f"{len(brokers)} brokers")
    talk.answer.cluster = {
        "id": body.get("ClusterId"),
        "controller": body.get("ControllerId", -1),
        "brokers": [
            {"id": item["NodeId"], "host": item["Host"], "port": item["Port"], "rack": item.get("Rack")}
            for item in brokers[:1000]
        ],
    }


def addresses(words: Iterable[str]) -> list[Address]:
    """The addresses of words like HOST:PORT,HOST:PORT, each once. Raises InputError."""

    def each() -> Iterator[Address]:
        for word in words:
            for text in word.split(","):
                yield Address.parse(text)

    return list(dict.fromkeys(each()))
