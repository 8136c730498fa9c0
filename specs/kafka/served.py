"""Which of Kafka's releases serve which versions of an API: the effect of a change on brokers and
clients."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.brokers import Broker, api_keys, load_brokers
from wirebook.specs.model import Message
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import Versions, VersionSet


class Served:
    """The brokers of Kafka's releases, with respect to one API.

    Branches without a release do not count.
    """

    def __init__(self, key: int, brokers: Iterable[Broker]) -> None:
        self.key = key
        self.brokers = tuple(broker for broker in brokers if not broker.release.endswith("-dev"))

    @classmethod
    def of(cls, message: Message) -> Served:
        """The brokers for the API of a message; none if its name and key are not those of an API of
        Kafka, because the releases of other protocols are unknown.
        """
        key = message.api_key
        is_of_kafka = message.profile.family == KAFKA and message.type in HALVES
        if key is None or not is_of_kafka or api_keys().get(message.api.lower()) != key:
            return cls(-1, ())
        return cls(key, load_brokers())

    def releases(self, versions: VersionSet) -> str:
        """The releases that serve any of these versions, "0.8.0 to 3.9, 4.0.1 to 4.3"; "" if none
        does."""
        return self._runs(lambda served: any(version in versions for version in served))

    def only_below(self, lowest: int) -> str:
        """The releases that have the API, but no version from `lowest` on; "" if none or all of
        them.

        Their clients are cut off if `lowest` becomes the lowest version.
        """
        older = self._runs(lambda served: bool(served) and served.highest < lowest)
        return older if any(self._of(item).highest >= lowest for item in self.brokers) else ""

    def known(self, version: int) -> str:
        """The releases that serve a version: "since 0.9.0", or "0.9.0 to 3.9.1, 4.0.1 to 4.3" if
        later ones do not; "" if none does.
        """
        runs = self._runs(lambda served: version in served)
        if not runs:
            return ""
        first, newest = runs.partition(" to ")[0], self.brokers[-1].release
        return f"since {first}" if runs in (newest, f"{first} to {newest}") else runs

    def _runs(self, holds: Callable[[Versions], bool]) -> str:
        runs: list[list[str]] = [[]]
        for broker in self.brokers:
            if holds(self._of(broker)):
                runs[-1].append(broker.release)
            elif runs[-1]:
                runs.append([])
        return ", ".join(
            run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs if run
        )

    def _of(self, broker: Broker) -> Versions:
        return broker.versions.get(self.key, Versions.NONE)
