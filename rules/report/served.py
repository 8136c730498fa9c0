"""Which of Kafka's releases serve which versions of an API: the effect of a change on brokers and
clients."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.model import Message
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import Versions, VersionSet, counted


class Served(NamedTuple):
    """The versions of an API that each of Kafka's releases serves, oldest first."""

    brokers: tuple[tuple[str, Versions], ...]

    @classmethod
    def of(cls, message: Message) -> Served:
        """The releases that serve the API of a message; none if its name and key are not those of
        an API of Kafka, because the releases of other protocols are unknown.

        Branches without a release do not count.
        """
        key = message.api_key
        is_of_kafka = message.profile.family == KAFKA and message.type in HALVES
        if key is None or not is_of_kafka or kafka_releases().keys.get(message.api.lower()) != key:
            return cls(())
        return cls(
            tuple(
                (each.release, each.versions.get(key, Versions.NONE))
                for each in kafka_releases().released
            )
        )

    def releases(self, versions: Versions | VersionSet | Collection[int]) -> str:
        """The releases that serve any of these versions: "since 0.9.0", or "0.9.0 to 3.9.1, 4.0.1
        to 4.3" if later ones do not; "" if none does."""
        runs = self._runs(lambda served: any(version in versions for version in served))
        first, _, last = runs.partition(" to ")
        is_newest = bool(runs) and (last or first) == self.brokers[-1][0]
        return f"since {first}" if is_newest else runs

    def words(self, versions: Versions | VersionSet | Collection[int]) -> str:
        """The releases that serve some versions, as the end of a sentence; "" if none does."""
        releases = self.releases(versions)
        return f"; releases {releases} serve {counted(versions)}" if releases else ""

    def only_below(self, lowest: int) -> str:
        """The releases that have the API, but no version from `lowest` on; "" if none or all of
        them.

        Their clients are cut off if `lowest` becomes the lowest version.
        """
        if all(served.highest < lowest for _, served in self.brokers):
            return ""
        return self._runs(lambda served: bool(served) and served.highest < lowest)

    def _runs(self, holds: Callable[[Versions], bool]) -> str:
        """The releases whose versions hold, those that follow each other together."""
        runs: list[list[str]] = [[]]
        for release, served in self.brokers:
            if holds(served):
                runs[-1].append(release)
            else:
                runs.append([])
        return ", ".join(" to ".join(dict.fromkeys((run[0], run[-1]))) for run in runs if run)


def senders(message: Message) -> str:
    """Who sends the requests of an API: in specs of Kafka, `listeners` says whether clients do."""
    listeners = message.listeners
    is_of_kafka = message.profile.family == KAFKA
    if not is_of_kafka or not listeners or "broker" in listeners:
        return "clients"
    return "brokers and controllers" if "controller" in listeners else "controllers"
