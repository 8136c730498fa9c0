"""Whether a repository is Apache Kafka's, derives from one of its releases, or has a protocol of its own.

This module owns the question. Whatever attaches Kafka's levels, releases or history to the specs of a
repository asks it: an ApiVersions API or Kafka's profile only shows that a protocol is of Kafka's family.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property

from wirebook.specs.digests import text_digest
from wirebook.specs.kafka.profile import KAFKA_PROFILE
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import read_message
from wirebook.specs.sources.git import GitRepo, SpecEntry
from wirebook.specs.sources.releases import Release, ReleaseName, line_of
from wirebook.specs.wire.resemblance import (
    Bits,
    LayoutItem,
    LayoutKey,
    StateDifference,
    items_of_message,
    origins,
)

PATH = FOLDER / "release_digests.json"
KAFKAS_RELEASES = "releases of Apache Kafka"
FINGERPRINT = 16  # the hex digits of a fingerprint that the file has
# Below this share of common versions, a protocol only has messages that look like Kafka's.
_DERIVED = 50
_NOTHING = StateDifference(0, 0, 0, 0)


class Lineage(StrEnum):
    """What a protocol is to Apache Kafka's."""

    KAFKA = "kafka"
    DERIVED = "derived"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Ancestry:
    """What a protocol is to Apache Kafka's.

    For one that derives from it, `releases` are the releases of Kafka that have most of its versions of
    messages, and of these those with the fewest others; `difference` has the numbers.
    """

    lineage: Lineage
    releases: tuple[str, ...] = ()
    difference: StateDifference = _NOTHING

    @property
    def versions(self) -> int:
        """How many versions of messages the protocol has."""
        return self.difference.same + self.difference.other + self.difference.own

    @property
    def share(self) -> int:
        """The percentage of these that such a release has with the same bytes; 100 only for all."""
        return 100 * self.difference.same // self.versions if self.versions else 0

    @property
    def release(self) -> str:
        """The releases in words: "3.9.1", "3.9.0 or 3.9.1", "3.2.0 to 3.2.3"; "" for none."""
        first, last = self.releases[:1], self.releases[-1:]
        if len(self.releases) > 2:
            return f"{first[0]} to {last[0]}"
        return " or ".join(self.releases)

    def __str__(self) -> str:
        if self.lineage is Lineage.KAFKA:
            return "is Apache Kafka"
        if self.lineage is Lineage.OWN:
            return "does not derive from Apache Kafka"
        return derivation(self.release, self.share)


def derivation(release: str, share: int) -> str:
    """From which releases a protocol derives, in words, and the percentage of its versions that they have."""
    return f"derives from Apache Kafka {release} ({share}% of its versions)"


IS_KAFKA = Ancestry(Lineage.KAFKA)
NOT_KAFKA = Ancestry(Lineage.OWN)


class Standing(StrEnum):
    """What a version of a message is to Apache Kafka's releases.

    `KAFKAS` has bytes that a release has; `OTHER` bytes that no release has in this version; `OWN` is a
    version of a message of Kafka's that no release has, `OWN_MESSAGE` one of a message that none has.
    """

    KAFKAS = "kafkas"
    OTHER = "other"
    OWN = "own"
    OWN_MESSAGE = "own_message"


class KafkaReleases:
    """The known releases of Kafka: the digest of the specs of each, and what versions of messages it has.

    `apis` are the names that each API key has had.
    """

    def __init__(
        self,
        digests: Mapping[str, str],
        apis: Mapping[str, Sequence[str]],
        items: Mapping[LayoutItem, Sequence[str]],
    ) -> None:
        self.digests = digests
        self.apis = apis
        self.items = items
        self.names = tuple(digests)
        self._places = {item.place for item in items}
        self._messages = {place[:2] for place in self._places}

    @cached_property
    def of_release(self) -> Mapping[str, list[LayoutItem]]:
        """What each release has."""
        items: dict[str, list[LayoutItem]] = {name: [] for name in self.names}
        for item, releases in self.items.items():
            for name in releases:
                items[name].append(item)
        return items

    def standing(self, item: LayoutItem, api: str = "") -> Standing:
        """What a version of a message, with its bytes and the name of its API, is to these releases."""
        if _short(item) in self.items:
            return Standing.KAFKAS
        names = self.apis.get(item.place.subject.removeprefix("api:"))
        if api and names and api not in names:
            return Standing.OWN_MESSAGE  # it has the key of another API
        if item.place in self._places:
            return Standing.OTHER
        return Standing.OWN if item.place[:2] in self._messages else Standing.OWN_MESSAGE

    def ancestry(self, items: Iterable[LayoutItem]) -> Ancestry:
        """What a protocol with these versions of messages is to Kafka's releases that have most of them."""
        own = [_short(item) for item in items]
        if not own:
            return NOT_KAFKA
        bits = Bits([*self.items, *own])
        releases = [bits.mask(self.of_release[name]) for name in self.names]
        numbers, least = origins(bits.mask(own), releases)
        ancestry = Ancestry(Lineage.DERIVED, tuple(self.names[number] for number in numbers), least)
        return ancestry if ancestry.share >= _DERIVED else NOT_KAFKA


@cache
def kafka_releases() -> KafkaReleases:
    """Kafka's releases from the file that tools/kafka_releases.py writes."""
    document = json.loads(PATH.read_text(encoding="utf-8"))
    names = list(document["releases"])
    items: dict[LayoutItem, list[str]] = {}
    for name, versions in document["layouts"].items():
        subject, _, part = name.rpartition(" ")
        for version, runs in versions.items():
            for fingerprint, first, last in runs:
                item = LayoutItem(LayoutKey(subject, part, int(version)), fingerprint)
                items.setdefault(item, []).extend(names[names.index(first) : names.index(last) + 1])
    return KafkaReleases(document["releases"], document["apis"], items)


def digest_of_specs(digests: Iterable[str]) -> str:
    """One digest of the specs of a release, from the names that git gives to their texts."""
    return text_digest("\n".join(sorted(digests)), 32)


def ancestry_of(messages: Iterable[Message], digests: Iterable[str] = ()) -> Ancestry:
    """What a protocol is to Apache Kafka's.

    With the digests of all its specs, it may be that of a release: give them if no tags show whose the
    specs are. A message without a layout does not count.
    """
    if digest_of_specs(digests) in kafka_releases().digests.values():
        return IS_KAFKA
    items: list[LayoutItem] = []
    for message in messages:
        try:
            items += items_of_message(message)
        except InputError:
            continue
    return kafka_releases().ancestry(items)


def ancestry_in(
    repository: GitRepo, releases: Sequence[Release], messages: Iterable[Message], digests: Iterable[str]
) -> Ancestry:
    """What the protocol of a repository with some releases is to Apache Kafka's.

    Without releases, the digests of all its specs decide whether it is that of a release.
    """
    if is_kafkas(repository, releases):
        return IS_KAFKA
    return ancestry_of(messages, () if releases else digests)


def is_kafkas(repository: GitRepo, releases: Sequence[Release]) -> bool:
    """Whether tags of a repository are releases of Apache Kafka: their names and their specs agree.

    At least one tag of the repository has the name and the specs of a known release. No given release
    contradicts: one with the name of a known release has its specs, an unknown one continues Kafka's release
    lines or belongs to one of them, and then has no version of a message that Kafka never had.
    """
    return bool(releases) and len(kafkas_own(repository, releases)) == len(releases)


def kafkas_own(repository: GitRepo, releases: Sequence[Release]) -> list[Release]:
    """Those of some releases that are Apache Kafka's, as `is_kafkas` has it: a fork may keep their tags."""
    prefix = _agreeing_prefix(repository, releases)
    return [] if prefix is None else [each for each in releases if _may_be_kafkas(repository, each, prefix)]


def _agreeing_prefix(repository: GitRepo, releases: Sequence[Release]) -> str | None:
    """What precedes the number in a tag that has the name and the specs of a known release; None without
    one.
    """
    digests = kafka_releases().digests
    every = [*reversed(releases), *reversed(repository.releases("*").found)]
    tags = {each.name: (name, each.commit) for each in every if (name := _known_name(each.name)) is not None}
    for name, commit in tags.values():
        digest = digest_of_specs(entry.digest for entry in repository.entries(commit))
        if digest == digests[name.number]:
            return name.prefix
    return None


def _known_name(tag: str) -> ReleaseName | None:
    """The name of a tag if it is that of a known release of Kafka."""
    name = ReleaseName.parse(tag)
    return (
        name if name is not None and not name.qualifier and name.number in kafka_releases().digests else None
    )


def _may_be_kafkas(repository: GitRepo, release: Release, prefix: str) -> bool:
    """Whether nothing speaks against a tag being a release of Kafka, of those whose tags have the prefix."""
    releases, name = kafka_releases(), ReleaseName.parse(release.name)
    entries = repository.entries(release.commit)
    if not entries:
        return True  # it shows nothing
    if name is None or name.prefix != prefix:
        return False
    if not name.qualifier and name.number in releases.digests:
        return digest_of_specs(entry.digest for entry in entries) == releases.digests[name.number]
    lines = {line for each in releases.names if (line := line_of(each)) is not None}
    if name.line > max(lines):
        # Releases that are newer than the known ones: the next minor ones, or the next major one.
        return name.line[0] <= max(lines)[0] + 1
    return name.line in lines and all(
        releases.standing(item) in (Standing.KAFKAS, Standing.OTHER) for item in _items(repository, entries)
    )


def _items(repository: GitRepo, entries: Iterable[SpecEntry]) -> Iterator[LayoutItem]:
    """The versions of messages in some specs, without those that cannot be read."""
    for path, digest in entries:
        try:
            text = repository.read(digest)
            yield from items_of_message(read_message(text, path, strict=False, profile=KAFKA_PROFILE))
        except InputError:
            continue


def _short(item: LayoutItem) -> LayoutItem:
    return item._replace(fingerprint=item.fingerprint[:FINGERPRINT])
