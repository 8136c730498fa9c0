"""What a user requires of a negotiation: APIs and features by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirebook.peers.negotiation import ApiOutcome, FeaturePair, Negotiation, Pair
from wirebook.peers.ranges import api_key
from wirebook.specs.kafka.brokers import ReleaseTable
from wirebook.specs.problems import InputError


def unmet_by(result: Negotiation, required: Sequence[str], table: ReleaseTable) -> Iterator[str]:
    """A line for each broker with which a required API or feature does not work.

    Raises InputError for a name that is neither.
    """
    named: dict[str, Sequence[Pair | FeaturePair]] = {}
    for item in result.features:
        named[item.name.lower()] = named[item.title.lower()] = item.brokers
    for name in required:
        try:
            pairs = named.get(name.lower()) or api_named(result, name, table).pairs
        except InputError as error:
            names = ", ".join(item.name for item in result.features)
            raise InputError(f"{error}; features are {names}" if names else str(error)) from None
        for pair in pairs:
            if not pair.usable:
                yield f"{name} is required and does not work with {pair.broker}: {pair.words}"


def api_named(result: Negotiation, name: str, table: ReleaseTable) -> ApiOutcome:
    """The API with this name or key; raises InputError if neither side has it."""
    found = [api for api in result.apis if api.name == name]
    key = found[0].key if found else api_key(name, table)
    for api in result.apis:
        if api.key == key:
            return api
    raise InputError(f'neither the client nor a {table.server} has "{name}"')
