"""What the released baselines froze: versions, deprecations and histories."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from wirebook.rules.match import is_laid_out_alike, may_be_renamed
from wirebook.specs.model import STANDING, Identity, Message, Protocol, identity_of
from wirebook.specs.versions import MAX_VERSION, Versions

# The names of the fields that had a tag, for each struct, by the order of the node that declares its fields.
Reserved = Mapping[int, Mapping[int, str]]
# What a history records for each version: the protocol level by mark ("added", "removed", "fields.Rack" …).
MarksByVersion = Mapping[int, Mapping[str, str]]


class ReleasedSpec(NamedTuple):
    """A complete released spec of a message, and the first release that has it; "" for the old side.

    `unstable` are versions of a response that are unstable in all releases with it, as only the request says.
    `replaced` are those that a newer release has in another form: their tags stay taken.
    """

    name: str
    message: Message
    unstable: frozenset[int] = frozenset()
    replaced: frozenset[int] = frozenset()

    @property
    def stable(self) -> frozenset[int]:
        """The versions that a release with this spec froze."""
        message = self.message
        return (
            frozenset(stable_versions(message.valid_versions, message.latest_version_unstable))
            - self.unstable
        )


class ReleasedMessage(NamedTuple):
    """A message as a release has it, without its fields.

    `history` has the marks of the history, if the spec has one.
    """

    type: str
    name: str
    api_key: int | None
    valid_versions: Versions
    unstable: bool
    deprecated_versions: Versions
    history: MarksByVersion

    @property
    def identity(self) -> Identity:
        """Like `Message.identity`."""
        return identity_of(self.type, self.name, self.api_key)

    @property
    def stable(self) -> Versions:
        """The valid versions, without the highest one if it is marked unstable."""
        return stable_versions(self.valid_versions, self.unstable)


class Baseline(NamedTuple):
    """A released snapshot, whose versions are frozen. `name` is the release, `day` its day (YYYY-MM-DD)."""

    name: str
    protocol: Protocol
    day: str = ""


class Released:
    """The messages of all baselines: for each identity its distinct specs, with the first release of each.

    `given` is whether releases are named, even if none has specs: if not, the old side counts as released.
    `releases` are the names of all baselines. `newest` returns all specs of the newest of them, which may
    require reading them, so only rules about a whole protocol call it.
    """

    def __init__(self, baselines: Sequence[Baseline] = (), *, is_given: bool = True) -> None:
        self.given = is_given
        self.releases = tuple(baseline.name for baseline in baselines)
        self.newest: Callable[[], Protocol] = lambda: baselines[-1].protocol if baselines else Protocol(())
        self._days = {baseline.name: baseline.day for baseline in baselines}
        self._specs: dict[Identity, list[ReleasedSpec]] = {}
        for baseline in baselines:
            for message in baseline.protocol:
                self._specs.setdefault(message.identity, []).append(ReleasedSpec(baseline.name, message))
        self._known: dict[Identity, list[tuple[str, ReleasedMessage]]] = {}
        self._sides: tuple[Protocol, ...] = ()
        self._former: dict[Identity, tuple[Identity, ...]] = {}

    def follow(self, *sides: Protocol) -> None:
        """Find the releases of the messages of some sides under their former names, and in other folders."""
        self._sides = sides
        self._former = {}
        self._known = {}

    def day(self, release: str) -> str:
        """The day of a release (YYYY-MM-DD), "" if unknown."""
        return self._days.get(release, "")

    def deprecated(self, identity: Identity) -> dict[int, str]:
        """The versions that a release marks as deprecated, each with the first such release.

        Specs may mark only the request: the same version of the response is then deprecated, too.
        """
        releases: dict[int, str] = {}
        for release, message in self._held(identity):
            for version in message.deprecated_versions & message.valid_versions:
                releases.setdefault(version, release)
        if identity[0] == "response" and isinstance(identity[1], int):
            return {**self.deprecated(("request", identity[1])), **releases}
        return releases

    def released_messages(self, identity: Identity) -> list[ReleasedMessage]:
        """The distinct released forms of a message, oldest first."""
        return [message for _, message in self._held(identity)]

    def specs(self, identity: Identity) -> Sequence[ReleasedSpec]:
        """The distinct complete released specs of a message.

        Each version has one released form: that of the newest release which has it.
        """
        specs = self._distinct_specs(identity)
        holding = self.holding(identity)
        last = {spec.name: max(map(self.releases.index, holding.get(spec.name, ()))) for spec in specs}
        newer: set[int] = set()
        replaced: dict[str, frozenset[int]] = {}
        for spec in sorted(specs, key=lambda each: last[each.name], reverse=True):
            replaced[spec.name] = frozenset(newer)
            newer |= spec.stable
        return [spec._replace(replaced=replaced[spec.name]) for spec in specs]

    def _distinct_specs(self, identity: Identity) -> list[ReleasedSpec]:
        specs = [spec for alias in self._aliases(identity) for spec in distinct(self._specs.get(alias, ()))]
        unstable = self._unstable_requests(identity)
        if not unstable:
            return specs
        holding = self.holding(identity)
        marks = [
            [unstable.get(name, frozenset()) for name in holding.get(spec.name, (spec.name,))]
            for spec in specs
        ]
        return [
            spec._replace(unstable=frozenset.intersection(*each))
            for spec, each in zip(specs, marks, strict=True)
        ]

    def _unstable_requests(self, identity: Identity) -> dict[str, frozenset[int]]:
        """The unstable version of the request of a response, by release."""
        if identity[0] != "response" or not isinstance(identity[1], int):
            return {}
        request: Identity = ("request", identity[1])
        if not any(message.unstable for message in self.released_messages(request)):
            return {}
        holding = self.holding(request)
        return {
            name: frozenset({spec.message.valid_versions.highest})
            for spec in self._distinct_specs(request)
            if spec.message.latest_version_unstable
            for name in holding.get(spec.name, (spec.name,))
        }

    def holding(self, identity: Identity) -> Mapping[str, Sequence[str]]:
        """All releases with each distinct spec of a message, by the first of them."""
        holding: dict[str, list[str]] = {}
        for alias in self._aliases(identity):
            for first, names in holders(self._specs.get(alias, ())).items():
                holding.setdefault(first, []).extend(names)
        return holding

    def _held(self, identity: Identity) -> list[tuple[str, ReleasedMessage]]:
        return [pair for alias in self._aliases(identity) for pair in self._distinct(alias)]

    def _aliases(self, identity: Identity) -> tuple[Identity, ...]:
        """The identities of a message in older releases: records of coordinators used to be plain data.

        A message without a key has its former names: those of messages with the same fields that neither side
        has any more.
        """
        if identity[0] == "coordinator-value":
            return (("data", identity[1]), identity)
        if isinstance(identity[1], int):
            return (identity,)
        if identity not in self._former:
            self._former[identity] = (*self._former_of(identity), identity)
        return self._former[identity]

    def _former_of(self, identity: Identity) -> list[Identity]:
        messages = [message for side in self._sides for message in side if message.identity == identity]
        if not messages or messages[0].api_key is not None:
            return []
        former: dict[Identity, None] = {}
        present = {message.identity for side in self._sides for message in side}
        left = [each for each in self._specs if each not in present]
        queue = [identity]
        while queue:
            name = queue.pop()
            near = [each for each in left if may_be_renamed(each, name)]
            if not near:
                continue
            specs = [spec.message for spec in distinct(self._specs.get(name, ()))]
            specs += messages if name == identity else []
            for other in near:
                others = (spec.message for spec in distinct(self._specs[other]))
                if any(is_laid_out_alike(spec, message) for spec in others for message in specs):
                    former[other] = None
                    left.remove(other)
                    queue.append(other)
        return list(former)

    def _distinct(self, identity: Identity) -> list[tuple[str, ReleasedMessage]]:
        if identity not in self._known:
            forms = self._known[identity] = []
            for spec in self._specs.get(identity, ()):
                message = released_message_of(spec.message)
                if all(message != other for _, other in forms):
                    forms.append((spec.name, message))
        return self._known[identity]

    def versions(self, identity: Identity) -> dict[int, str]:
        """The frozen versions of a message, each with the first release in which it was stable.

        Specs may mark only the request as unstable: a version of the response is frozen when that of its
        request is.
        """
        releases: dict[int, str] = {}
        for release, message in self._held(identity):
            for version in message.stable:
                releases.setdefault(version, release)
        if identity[0] == "response" and isinstance(identity[1], int):
            request: Identity = ("request", identity[1])
            frozen = self.versions(request)
            request_versions = {
                version
                for message in self.released_messages(request)
                for version in message.valid_versions & Versions(0, MAX_VERSION)
            }
            releases = {
                version: frozen.get(version, release)
                for version, release in releases.items()
                if version in frozen or version not in request_versions
            }
        return releases


def holders(specs: Iterable[ReleasedSpec]) -> dict[str, list[str]]:
    """The names of all releases with each distinct spec, by the first of them."""
    groups: list[tuple[Message, list[str]]] = []
    for name, message, *_ in specs:
        names = next((names for other, names in groups if _are_same(other, message)), None)
        if names is None:
            groups.append((message, [name]))
        else:
            names.append(name)
    return {names[0]: names for _, names in groups}


def distinct(specs: Iterable[ReleasedSpec]) -> list[ReleasedSpec]:
    """The distinct specs, each with the first release that has it."""
    firsts: list[ReleasedSpec] = []
    for spec in specs:
        if not any(_are_same(spec.message, other.message) for other in firsts):
            firsts.append(spec)
    return firsts


def _are_same(one: Message, other: Message) -> bool:
    """Whether two specs are the same, and so are the headers that their profiles give them."""
    return one == other and one.profile == other.profile


def stable_versions(valid: Versions, unstable: bool) -> Versions:
    """The valid versions, without the highest one if it is unstable."""
    return Versions(valid.lowest, valid.highest - 1) if unstable and valid else valid


def released_message_of(message: Message) -> ReleasedMessage:
    """The compact form of a message."""
    return ReleasedMessage(
        type=message.type,
        name=message.name,
        api_key=message.api_key,
        valid_versions=message.valid_versions,
        unstable=message.latest_version_unstable,
        deprecated_versions=message.deprecated_versions,
        history=history_of(message),
    )


def history_of(message: Message) -> dict[int, dict[str, str]]:
    """The protocol levels that the history of a message names, by version and mark."""
    history: dict[int, dict[str, str]] = {}
    for entry in message.history:
        marks = {key: getattr(entry, key) for key in STANDING}
        levels = {key: level for key, level in marks.items() if level is not None}
        levels |= {f"fields.{path}": level for path, level in entry.fields.items()}
        history.setdefault(entry.version, {}).update(levels)
    return history
