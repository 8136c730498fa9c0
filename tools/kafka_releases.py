"""Writes specs/kafka/release_digests.json from a clone of Kafka: `python tools/kafka_releases.py REPOSITORY`.

For each release, the file has the digest of its specs; for each API key, the names that it has had; for each
version of a message, the fingerprint of its bytes with the first and the last release that has them. No text
of a spec is taken over.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

from wirebook.specs.kafka.ancestry import FINGERPRINT, PATH, digest_of_specs
from wirebook.specs.kafka.profile import KAFKA_PROFILE
from wirebook.specs.reading.reader import read_message
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.wire.resemblance import LayoutItem, items_of_message

Runs = list[tuple[str, str, str]]


def main() -> int:
    """Write the file; the repository of Kafka is the argument."""
    digests: dict[str, str] = {}
    items: dict[str, list[LayoutItem]] = {}
    held: dict[LayoutItem, list[str]] = defaultdict(list)
    names: dict[int, set[str]] = defaultdict(set)
    with GitRepo(sys.argv[1]) as repository:
        for release in repository.releases("[0-9]*").found:
            entries = repository.entries(release.commit)
            if release.is_prerelease or not entries:
                continue
            digests[release.name] = digest_of_specs(entry.digest for entry in entries)
            for path, digest in entries:
                if digest not in items:
                    message = read_message(repository.read(digest), path, strict=False, profile=KAFKA_PROFILE)
                    items[digest] = items_of_message(message)
                    if message.type in ("request", "response") and message.api_key is not None:
                        names[message.api_key].add(message.api)
                for item in items[digest]:
                    held[item].append(release.name)
    PATH.write_text(_text(digests, names, held), encoding="utf-8")
    return 0


def _text(digests: dict[str, str], names: dict[int, set[str]], held: dict[LayoutItem, list[str]]) -> str:
    """The document, with a line for each message."""
    order = list(digests)
    releases = [f"    {json.dumps(name)}: {json.dumps(digest)}" for name, digest in digests.items()]
    messages = []
    ordered = sorted(held, key=lambda item: item.place)
    for (subject, part), of_message in groupby(ordered, key=lambda item: item.place[:2]):
        versions: dict[str, Runs] = {}
        for item in of_message:
            runs = versions.setdefault(str(item.place.version), [])
            runs += ((item.fingerprint[:FINGERPRINT], *run) for run in _runs(held[item], order))
        name = json.dumps(f"{subject} {part}")
        messages.append(f"    {name}: {json.dumps(versions, separators=(',', ':'))}")
    apis = [f'    "{key}": {json.dumps(sorted(of_key))}' for key, of_key in sorted(names.items())]
    parts = {"releases": releases, "apis": apis, "layouts": messages}
    bodies = [f'  "{key}": {{\n' + ",\n".join(lines) + "\n  }" for key, lines in parts.items()]
    return ",\n".join(['{\n  "schema": "wirebook/release-digests/1"', *bodies]) + "\n}\n"


def _runs(names: Sequence[str], order: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The first and the last of each unbroken run of releases."""
    places = sorted(order.index(name) for name in set(names))
    for _, run in groupby(enumerate(places), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        yield order[numbers[0]], order[numbers[-1]]


if __name__ == "__main__":
    sys.exit(main())
