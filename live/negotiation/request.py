"""The function behind `wirebook negotiate`: from the names of a client and of brokers to a negotiation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from wirebook.live.negotiation.documentation import Documentation
from wirebook.live.negotiation.negotiate import Peer
from wirebook.live.negotiation.outcome import ApiOutcome, Negotiation, negotiation
from wirebook.live.negotiation.own_protocol import OwnProtocol
from wirebook.live.negotiation.peers import PeerResolver, Probe
from wirebook.live.negotiation.ranges import api_key
from wirebook.live.negotiation.similarity import ReleaseSimilarity, release_similarity
from wirebook.specs.kafka.brokers import TELEMETRY, ReleaseTable, kafka_releases
from wirebook.specs.problems import InputError


@dataclass(frozen=True)
class NegotiationRequest:
    """A client and brokers, as words that `PeerResolver` resolves, and what to report about them.

    `features` is a client or file whose features are evaluated too, `require` are APIs or features that must
    work with every broker, `apis` limits the report. `source` has the specs that mark versions (None: the
    embedded ones). `own` replaces them for a protocol other than Kafka's.
    """

    brokers: tuple[str, ...]
    client: str | None = None
    features: str | None = None
    require: tuple[str, ...] = ()
    apis: tuple[str, ...] = ()
    listener: str = ""
    source: str | None = None
    own: OwnProtocol | None = None


_RECEIVER = "brokers list it only if they have a receiver of client telemetry"


@dataclass(frozen=True)
class NegotiationResult:
    """The negotiation, a line for each requirement that a broker does not meet, and notes on named APIs."""

    negotiation: Negotiation
    unmet: tuple[str, ...]
    notes: tuple[str, ...] = ()


def negotiate(request: NegotiationRequest, probe: Probe) -> NegotiationResult:
    """Resolve the words, live brokers with `probe`, and negotiate. Raises InputError, OSError."""
    own = request.own
    if own is None:
        kafka = OwnProtocol(Documentation.of(request.source), kafka_releases())
        return _negotiated(request, kafka, probe)
    if request.features is not None:
        raise InputError("features are known only for Kafka clients", request.features)
    return _negotiated(request, own, probe)


def _negotiated(request: NegotiationRequest, own: OwnProtocol, probe: Probe) -> NegotiationResult:
    table = own.table
    resolver = PeerResolver(own.documentation, request.listener, probe, table)
    client = None
    if request.client is not None:
        client = resolver.client(request.client)
    if request.features is not None:
        features = resolver.client(request.features).features
        if not features:
            raise InputError("this does not list features", request.features)
        client = replace(client or resolver.client(request.features), features=features)
    brokers = resolver.brokers(request.brokers)
    # Levels between releases are known for Kafka only.
    similarities = tuple(_similarity(broker) if table.is_kafka else None for broker in brokers)
    result = replace(negotiation(client, brokers, table), similarities=similarities)
    unmet = tuple(_unmet(result, request.require, table))
    if request.apis:
        keys = {_api(result, name, table).key for name in request.apis}
        result = replace(result, apis=tuple(api for api in result.apis if api.key in keys))
    return NegotiationResult(result, unmet, tuple(_notes(result)) if table.is_kafka and request.apis else ())


def _notes(result: Negotiation) -> Iterator[str]:
    """A line for each API that brokers do not list, although they may serve it."""
    for api in result.apis:
        if api.key in TELEMETRY and any(pair.serves is None for pair in api.pairs):
            yield f"{api.name}: {_RECEIVER}"


def _similarity(broker: Peer) -> ReleaseSimilarity | None:
    """The releases that answer like a broker of unknown release."""
    unknown = broker.kind in ("file", "live", "source")
    return release_similarity(broker.versions) if unknown and broker.versions else None


def _unmet(result: Negotiation, required: Iterable[str], table: ReleaseTable) -> Iterator[str]:
    """A line for each broker with which a required API or feature does not work."""
    features = {
        name.lower(): outcome
        for outcome in result.features
        for name in (outcome.feature.title, outcome.feature.name)
    }
    for name in required:
        feature = features.get(name.lower())
        if feature is not None:
            lacking = [(pair.broker, pair.words) for pair in feature.brokers if not pair.usable]
        else:
            try:
                api = _api(result, name, table)
            except InputError as error:
                names = ", ".join(outcome.feature.name for outcome in result.features)
                raise InputError(f"{error}; features are {names}" if names else str(error)) from None
            lacking = [(pair.broker, pair.choice.words) for pair in api.pairs if pair.choice.version is None]
        for broker, words in lacking:
            yield f"{name} is required and does not work with {broker}: {words}"


def _api(result: Negotiation, name: str, table: ReleaseTable) -> ApiOutcome:
    """The API with this name or key; raises InputError if neither side has it."""
    named = next((api for api in result.apis if api.name == name), None)
    if named is not None:
        return named
    key = api_key(name, table)
    for api in result.apis:
        if api.key == key:
            return api
    if table.is_kafka and key in TELEMETRY:
        raise InputError(f'neither the client nor a broker lists "{name}"; {_RECEIVER}')
    raise InputError(f'neither the client nor a {table.server} has "{name}"')
