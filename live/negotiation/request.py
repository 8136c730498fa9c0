"""A negotiation as `wirebook negotiate` takes it: words for a client and brokers in, a document out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wirebook.live.negotiation.negotiate import Peer, negotiation
from wirebook.live.negotiation.peers import Documentation, PeerResolver
from wirebook.live.negotiation.ranges import api_key
from wirebook.live.negotiation.similarity import release_similarity
from wirebook.specs.problems import InputError

Doc = dict[str, Any]


@dataclass(frozen=True)
class NegotiationRequest:
    """A client and brokers, as words that `PeerResolver` resolves, and what to report of them.

    `features` is a client or file whose features are judged too, `require` are APIs or features that must
    work with every broker, `apis` are the only ones to report. `source` and `registry` are the specs and
    protocol levels that mark versions (None: the embedded ones).
    """

    brokers: tuple[str, ...]
    client: str | None = None
    features: str | None = None
    require: tuple[str, ...] = ()
    apis: tuple[str, ...] = ()
    listener: str = ""
    source: str | None = None
    registry: str | None = None


@dataclass(frozen=True)
class NegotiationResult:
    """The document (wirebook/negotiation/1), and a line for each requirement that a broker does not meet."""

    document: Doc
    unmet: tuple[str, ...]


def negotiate(request: NegotiationRequest) -> NegotiationResult:
    """Resolve the words and negotiate. Raises InputError, OSError."""
    resolver = PeerResolver(Documentation.of(request.source, request.registry), request.listener)
    client = resolver.client(request.client) if request.client is not None else None
    if request.features is not None:
        features = resolver.client(request.features).features
        if not features:
            raise InputError("this lists no features", request.features)
        client = replace(client or resolver.client(request.features), features=features)
    brokers = resolver.brokers(request.brokers)
    document = negotiation(client, brokers)
    add_similarity(document, brokers)
    unmet = tuple(_unmet(document, request.require))
    if request.apis:
        wanted = {_key(document, name) for name in request.apis}
        document["apis"] = [api for api in document["apis"] if api["key"] in wanted]
    return NegotiationResult(document, unmet)


def add_similarity(document: Doc, brokers: Sequence[Peer]) -> None:
    """Add to each broker of an unknown release the releases that answer like it."""
    for row, broker in zip(document["brokers"], brokers, strict=True):
        row["like"], row["like_words"] = None, ""
        if broker.kind in ("file", "live", "source") and broker.versions:
            similarity = release_similarity(broker.versions)
            row["like"], row["like_words"] = similarity.to_json(), similarity.summary()


def _unmet(document: Doc, required: Sequence[str]) -> Iterator[str]:
    """A line for each broker with which a required API or feature does not work."""
    listed = document["features"]
    features = {name.lower(): feature for feature in listed for name in (feature["title"], feature["name"])}
    for name in required:
        found = features.get(name.lower())
        if found is None:
            try:
                key = _key(document, name)
            except InputError as error:
                names = ", ".join(feature["name"] for feature in listed)
                raise InputError(f"{error}; features are {names}" if names else str(error)) from None
            found = next(item for item in document["apis"] if item["key"] == key)
            lacking = [(p["broker"], p["words"]) for p in found["pairs"] if p["version"] is None]
        else:
            lacking = [(row["broker"], row["words"]) for row in found["brokers"] if not row["usable"]]
        for broker, words in lacking:
            yield f"{name} is required and does not work with {broker}: {words}"


def _key(document: Doc, name: str) -> int:
    """The key of an API of the document; raises InputError where neither side has it."""
    named = next((item["key"] for item in document["apis"] if item["name"] == name), None)
    key = api_key(name) if named is None else int(named)
    if all(item["key"] != key for item in document["apis"]):
        raise InputError(f'neither the client nor a broker has "{name}"')
    return key
