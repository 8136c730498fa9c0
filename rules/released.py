"""What releases froze: the versions of each message, their forms, deprecations and tags."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from wirebook.specs.model import STANDING, Identity, Message, Protocol
from wirebook.specs.problems import Place
from wirebook.specs.versions import Versions


@dataclass(frozen=True)
class Baseline:
    """A released snapshot, whose versions are frozen. `name` is the release, `day` its day
    (YYYY-MM-DD)."""

    name: str
    protocol: Protocol
    day: str = ""

    @cached_property
    def stable(self) -> Mapping[Identity, tuple[Message, frozenset[int]]]:
        """Each message with its stable versions."""
        tops = unstable_tops(self.protocol)
        return {
            each.identity: (each, frozenset(each.valid_versions) - {tops.get(each.identity)})
            for each in self.protocol
        }


@dataclass(frozen=True)
class ReleasedSpec:
    """A spec of a message, and the releases that have it, oldest first; "" is base.

    `stable` are the versions that one of them froze, and `counting` those that no newer release has
    in another form. The tags of all stable versions stay taken.
    """

    releases: tuple[str, ...]
    message: Message
    stable: frozenset[int]
    counting: frozenset[int]

    @property
    def name(self) -> str:
        """The first release that has it."""
        return self.releases[0]


@dataclass
class Released:
    """The messages of all releases, oldest first.

    `given` is whether releases are named, even if none has specs; if not, base is the only one,
    with the name "".
    """

    baselines: Sequence[Baseline] = ()
    given: bool = True
    _specs: dict[Identity, list[ReleasedSpec]] = field(default_factory=dict)

    @property
    def releases(self) -> tuple[str, ...]:
        """The names of the releases; none if only base counts."""
        return tuple(baseline.name for baseline in self.baselines if self.given)

    @property
    def is_nothing(self) -> bool:
        """Whether nothing is released yet: nobody depends on what is removed."""
        return self.given and not self.baselines

    def day(self, release: str) -> str:
        """The day of a release (YYYY-MM-DD), "" if unknown."""
        return next((each.day for each in self.baselines if each.name == release), "")

    def specs(self, identity: Identity) -> Sequence[ReleasedSpec]:
        """The distinct released specs of a message, oldest first."""
        if identity in self._specs:
            return self._specs[identity]
        specs: list[ReleasedSpec] = []
        for baseline in self.baselines:
            frozen = baseline.stable.get(identity)
            if frozen is None and identity[0] == "coordinator-value":
                # Records of coordinators used to be plain data.
                frozen = baseline.stable.get(("data", identity[1]))
            if frozen is None:
                continue
            message, stable = frozen
            # The form of the newest release with a version counts.
            specs = [replace(each, counting=each.counting - stable) for each in specs]
            alike = (
                at
                for at, each in enumerate(specs)
                if each.message == message and each.message.profile == message.profile
            )
            at = next(alike, len(specs))
            if at == len(specs):
                specs.append(ReleasedSpec((), message, stable, stable))
            specs[at] = replace(
                specs[at],
                releases=(*specs[at].releases, baseline.name),
                stable=specs[at].stable | stable,
                counting=specs[at].counting | stable,
            )
        self._specs[identity] = specs
        return specs

    def versions(self, identity: Identity) -> dict[int, str]:
        """The frozen versions of a message, each with the first release in which it was stable.

        Those of the oldest release come first.
        """
        first: dict[int, str] = {}
        for spec in self.specs(identity):
            first |= {each: spec.name for each in sorted(spec.stable) if each not in first}
        return first

    def deprecated(self, identity: Identity) -> dict[int, str]:
        """The versions that a release marks as deprecated, each with the first such release.

        Specs may mark only the request: the same version of the response is then deprecated, too.
        """
        first: dict[int, str] = {}
        if identity[0] == "response" and isinstance(identity[1], int):
            first = self.deprecated(("request", identity[1]))
        for spec in reversed(self.specs(identity)):
            marked = spec.message.deprecated_versions & spec.message.valid_versions
            first |= dict.fromkeys(marked, spec.name)
        return first


def released_of(baselines: Sequence[Baseline] | Released, base: Protocol | None) -> Released:
    """What is released: the releases that are given, or if none are, base."""
    if isinstance(baselines, Released) and baselines.given:
        return baselines
    if isinstance(baselines, Sequence) and baselines:
        return Released(baselines)
    return Released([Baseline("", base)] if base is not None else [], given=False)


def first_release(released: Mapping[int, str], versions: Collection[int]) -> str | None:
    """The first release in which one of some versions was stable, by those of
    `Released.versions`; None if only base has them."""
    named = (name for version, name in released.items() if name and version in versions)
    return next(named, None)


def unstable_tops(protocol: Protocol) -> dict[Identity, int]:
    """The unstable top version of each message that has one, by identity.

    Specs may mark only the request: the same version of the response is unstable too.
    """
    tops: dict[Identity, int] = {}
    for message in protocol:
        if message.latest_version_unstable and message.valid_versions:
            tops[message.identity] = message.valid_versions.highest
    for message in protocol:
        if message.type == "response" and message.api_key is not None and message.valid_versions:
            top = tops.get(("request", message.api_key))
            if top == message.valid_versions.highest:
                tops[message.identity] = top
    return tops


def stable_versions(valid: Versions, unstable: bool) -> Versions:
    """The valid versions, without the highest one if it is unstable."""
    return Versions(valid.lowest, valid.highest - 1) if unstable and valid else valid


def history_of(*messages: Message) -> dict[int, dict[str, str]]:
    """The protocol levels that the histories of forms of a message name, by version and mark
    ("added", "joined by Rack"); of marks that several have, those of the last one.
    """
    history: dict[int, dict[str, str]] = {}
    for entry in (entry for message in messages for entry in message.history):
        marks = {key: getattr(entry, key) for key in STANDING if getattr(entry, key) is not None}
        marks |= {f"joined by {path}": level for path, level in entry.fields.items()}
        history.setdefault(entry.version, {}).update(marks)
    return history


def place_in(message: Message, version: int, mark: str) -> Place:
    """The place of a mark of a version, one of those of `history_of`; of one that is not there,
    that of the entry or of the history.
    """
    for entry in message.history:
        if entry.version == version:
            return entry.written.at("fields" if mark.startswith("joined by ") else mark)
    return message.written.at("history")
