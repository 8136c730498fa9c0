"""What a user requires of a negotiation: APIs and features by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirebook.peers.negotiation import ApiOutcome, Negotiation
from wirebook.peers.ranges import api_key
from wirebook.specs.kafka.brokers import TELEMETRY, ReleaseTable
from wirebook.specs.problems import InputError

_RECEIVER = "brokers list it only if they have a receiver of client telemetry"


def unmet_by(result: Negotiation, required: Sequence[str], table: ReleaseTable) -> Iterator[str]:
    """A line for each broker with which a required API or feature does not work.

    Raises InputError for a name that is neither.
    """
    features = {item.feature.title.lower(): item.brokers for item in result.features}
    features |= {item.feature.name.lower(): item.brokers for item in result.features}
    for name in required:
        pairs = features.get(name.lower())
        if pairs is not None:
            lacking = [(pair.broker, pair.words) for pair in pairs if not pair.usable]
        else:
            try:
                api = api_named(result, name, table)
            except InputError as error:
                names = ", ".join(item.feature.name for item in result.features)
                raise InputError(
                    f"{error}; features are {names}" if names else str(error)
                ) from None
            lacking = [(pair.broker, pair.words) for pair in api.pairs if pair.version is None]
        for broker, words in lacking:
            yield f"{name} is required and does not work with {broker}: {words}"


def api_named(result: Negotiation, name: str, table: ReleaseTable) -> ApiOutcome:
    """The API with this name or key; raises InputError if neither side has it."""
    found = [api for api in result.apis if api.name == name]
    key = found[0].key if found else api_key(name, table)
    for api in result.apis:
        if api.key == key:
            return api
    if table.is_kafka and key in TELEMETRY:
        raise InputError(f'neither the client nor a broker lists "{name}"; {_RECEIVER}')
    raise InputError(f'neither the client nor a {table.server} has "{name}"')
