"""The released baselines of a check: read from tags or sources, and kept by content between two checks."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache, cached_property, partial
from itertools import chain
from typing import Any, NamedTuple

from wirebook.rules.check.protocol import (
    HeadersAndFrame,
    SideView,
    wire_of,
    with_headers,
)
from wirebook.rules.check.reading import read_side
from wirebook.rules.check.releases import (
    NamedReleases,
    ReleaseSearch,
    ReleaseSnapshot,
    distinct_snapshots,
    first_releases,
    profile_beside,
    snapshots_of,
)
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.scope import Scope
from wirebook.rules.check.sides import committed_source
from wirebook.rules.check.surroundings import Surroundings
from wirebook.rules.project.config import NOT_YET
from wirebook.rules.project.settings import unusable_releases
from wirebook.rules.released import (
    Released,
    ReleasedMessage,
    ReleasedSpec,
    distinct,
    from_plain,
    holders,
    released_message_of,
    to_plain,
)
from wirebook.specs import own_code
from wirebook.specs.files import cache_folder, write_atomically
from wirebook.specs.model import Identity, Message, Protocol
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.protocols import chosen
from wirebook.specs.reading.discovery import candidate
from wirebook.specs.reading.protocols import Protocols
from wirebook.specs.reading.reader import read_message
from wirebook.specs.sources.filesets import FileSet
from wirebook.specs.sources.releases import ReleaseName, glob_of, is_named_by
from wirebook.specs.sources.repository import Repository

SCHEMA = "wirebook/baselines/5"
KEPT = 16  # files; each has a few hundred KB and covers one set of releases


class Baselines(NamedTuple):
    """The released specs, with a description, and what could not be used; `details` are for --verbose.

    `snapshots` has each release.
    """

    released: Released
    words: str
    notices: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    snapshots: tuple[ReleaseSnapshot, ...] = ()


# A message of a release: the release, its path and object, whether it is out of scope, and its stored form.
_Row = tuple[str, str, str, bool, ReleasedMessage]
# The rows of each identity in stored form, both as JSON, since a check needs few of them. A row has the
# message in the form of `to_plain`.
_Stored = dict[bytes, bytes]


def read_baselines(around: Surroundings, base: str | None, view: SideView) -> Baselines:
    """Read the baselines that `--released` names for a check: globs over tags, or SOURCES.

    `around` has the scope and the sides, `base` is the commit of the old side, if that judges, and `view`
    has the profiles of that side. NOT_YET names the tags that are versions and have specs, if there are any.
    Raises InputError for another name that matches nothing.
    """
    scope = around.scope
    search, profile, part = _search(scope, base), scope.profile, scope.part
    names_none = all(name == NOT_YET for name in scope.config.released.value)
    first, others = _first_releases(scope, search) if names_none else (None, [])
    every = _snapshots(scope, base, search) if first is None else [first]
    snapshots = distinct_snapshots(snapshot for each in every for snapshot in each.snapshots)
    later = _with_specs(snapshot for each in every for snapshot in each.later)
    names = [snapshot.name for snapshot in snapshots]
    key = _key(
        [(snapshot.name, snapshot.key) for snapshot in snapshots], f"{scope.filters}\0{profile.headers}"
    )
    unread = [reason for each in every for reason in each.unread]
    stored, empty = _load(key) or (None, [])
    if stored is None:
        read, empty, unreadable = _read(snapshots, profile)
        stored = _stored(read)
        unread += unreadable
        if not unreadable:
            _store(key, stored, empty)
    if len(empty) == len(names):
        notices = [notice for each in every for notice in each.notices]
        if names_none:
            notices += [*_unseen_tags(search.repository, later), *_outside(snapshots)]
            notices += _unnamed(later)
        elif not names:
            notices += _unseen_tags(search.repository, later)
        elif (later or part is not None) and _is_in_no_release(around, base):
            if part is not None:
                when = f"before {later}" if later else "yet"
                notices.append(f"{part or 'the specs that no [[protocol]] claims'}: in no release {when}")
        else:
            raise search.refused(_names(scope), "no message specs in these releases")
        words = f"nothing before {later}" if later else "nothing yet"
        details = tuple(_of_others(others))
        return Baselines(Released(lambda identity: (), True), words, tuple(notices), tuple(unread), details)
    # Old releases often predate the specs, which is not worth a notice.
    details = (f"no message specs in: {', '.join(empty)}",) if empty else ()
    rows = _Rows(stored, lambda kind, name: released.has(kind, name))
    texts = _Texts(rows, snapshots, search.repository, _Profiles(around, view))
    days = {snapshot.name: snapshot.day for snapshot in reversed(snapshots)}
    newest = partial(_newest, snapshots, profile)
    released = Released(
        rows.messages,
        True,
        texts,
        names,
        newest,
        lambda release: days.get(release, str)(),
        texts.holding,
        rows.identities,
    )
    released.beside(partial(_unchanged, around))
    notices = [notice for each in every for notice in each.notices]
    if names_none:
        notices += _unnamed(next(name for name in names if name not in empty))
    words = names[0] if len(names) == 1 else f"{len(names)} releases ({names[0]} to {names[-1]})"
    return Baselines(
        released,
        words,
        tuple(notices),
        tuple(unread),
        details,
        tuple(snapshots),
    )


def _first_releases(scope: Scope, search: ReleaseSearch) -> tuple[NamedReleases, list[ReleaseSnapshot]]:
    """The releases of a protocol that names none yet: the tags that no other protocol names. And the others,
    without those that are later.
    """
    first = first_releases(search)
    snapshots, later = (
        [each for each in some if not is_named_by(scope.others, each.name)]
        for some in (first.snapshots, first.later)
    )
    others = [each for each in first.snapshots if each not in snapshots]
    return first._replace(snapshots=snapshots, later=later), others


def _of_others(snapshots: Sequence[ReleaseSnapshot]) -> Iterator[str]:
    """The notice that nothing is frozen, although a release of other protocols has specs in scope."""
    release = _with_specs(reversed(snapshots))
    if release:
        yield (
            f'released is "{NOT_YET}", so {release}, which the settings name for other protocols, freezes '
            "nothing here, although it has specs"
        )


def _with_specs(snapshots: Iterable[ReleaseSnapshot]) -> str:
    """The name of the first snapshot with specs in scope; "" if there is none."""
    return next((snapshot.name for snapshot in snapshots if any(True for _ in snapshot.texts())), "")


def _unnamed(release: str) -> Iterator[str]:
    """The notice that the settings name no release, although there is one; "" is none."""
    if release:
        yield (
            f'released is "{NOT_YET}", but {release} has specs, which are frozen: name the tags of your '
            f'releases in the settings, such as released = ["{glob_of(release)}"]'
        )


def _unseen_tags(repository: Repository | None, later: str) -> Iterator[str]:
    """The notice that nothing is frozen, in a clone that may lack the tags of releases before a later one."""
    if repository is not None and (repository.is_shallow() or repository.fetches_no_tags()):
        tag = f"tag of a version before {later}" if later else "tag of a version"
        yield (
            f"nothing is frozen: no {tag} was seen, and this clone may lack tags; if there are "
            "releases: git fetch --tags"
        )


def _outside(snapshots: Sequence[ReleaseSnapshot]) -> Iterator[str]:
    """The notice that nothing is frozen, although the newest tag has specs: the settings exclude them."""
    for snapshot in snapshots[-1:]:
        path = snapshot.outside()
        if path:
            yield (
                f'nothing is frozen: released is "{NOT_YET}", and the specs of {snapshot.name} are not among '
                f"those of the settings ({visible(path)})"
            )


def _names(scope: Scope) -> list[str]:
    """What a configuration names as releases; the change that names the first one has NOT_YET, too."""
    return [name for name in scope.config.released.value if name != NOT_YET]


def _snapshots(scope: Scope, base: str | None, search: ReleaseSearch) -> list[NamedReleases]:
    """The releases of each name; sources in the repository as a commit has them. Raises InputError."""
    return [snapshots_of(committed_source(scope, base, name), search, name) for name in _names(scope)]


def _search(scope: Scope, base: str | None) -> ReleaseSearch:
    """Where a check looks up its releases."""
    return _configured_search(scope)._replace(
        refused=partial(_refused, scope, base),
        later=scope.later,
    )


def _unchanged(around: Surroundings) -> list[Identity]:
    """What identifies the messages of the unchanged specs."""
    return [message.identity for message in _messages(around, around.rest())]


def _messages(around: Surroundings, side: FileSet | None) -> Iterable[Message]:
    """The messages of a side, without those that cannot be read."""
    return () if side is None else read_side(around.scope, side, side.files).messages.values()


def _is_in_no_release(around: Surroundings, base: str | None) -> bool:
    """Whether the releases have specs, and those before the change no message of these specs, in any folder.

    A spec whose folder or protocol has another name since keeps its type and its name. Headers have the same
    names in many protocols: they count only if there is nothing else.
    """
    scope, sides = around.scope, around.sides
    search = _search(scope, base)._replace(takes=partial(candidate, tests=scope.tests))
    every = _snapshots(scope, base, search)
    own = {
        (message.type, message.name)
        for side in (sides.old, sides.new, around.rest())
        for message in _messages(around, side)
    }
    own = {identity for identity in own if identity[0] != "header"} or own
    released: dict[str, tuple[str, str]] = {}
    for snapshot in distinct_snapshots(snapshot for each in every for snapshot in each.snapshots):
        try:
            for path, name, text in snapshot.texts():
                if name not in released:
                    message = read_message(text, path, profile=scope.profile)
                    released[name] = (message.type, message.name)
        except InputError:
            return False
    later = [snapshot for each in every for snapshot in each.later]
    return bool(released or _with_specs(later)) and own.isdisjoint(released.values())


def _refused(scope: Scope, base: str | None, names: Sequence[str], why: str) -> InputError:
    """The error for names of releases, in the configuration of the new side if that has them."""
    before, after = (scope.policies[number].config.released for number in (0, -1))
    if base is None or names[0] not in before.value or names[0] in after.value:
        return unusable_releases(after, names, why)
    error = unusable_releases(before, names, why)
    return scope.of_old_side(error, base)


def released_keys(request: CheckRequest, protocol: str = "") -> set[tuple[str, int]]:
    """The types and API keys of the messages in the releases that a configuration names, or would name if it
    has NOT_YET, as far as they can be read.

    `protocol` limits it to one of several protocols. Raises InputError for a configuration that cannot be
    read.
    """
    with ExitStack() as stack:
        scope = Scope(request, stack)
        if scope.config.protocols.value is not None and protocol:
            scope = _limited(scope, protocol)
        search = _configured_search(scope)
        every: list[NamedReleases] = []
        for name in _names(scope):
            with contextlib.suppress(InputError):
                every.append(snapshots_of(name, search))
        if NOT_YET in scope.config.released.value and not every:
            every.append(_first_releases(scope, search)[0])
        rows, _, _ = _read(distinct_snapshots(chain(*(each.snapshots for each in every))), scope.profile)
        messages = [message for *_, message in rows]
        return {(each.type, each.api_key) for each in messages if each.api_key is not None}


def _configured_search(scope: Scope) -> ReleaseSearch:
    """Where the releases of a configuration are looked up, of which none is later than a change."""
    return ReleaseSearch(
        scope.repository,
        scope.takes_of_release,
        scope.cwd,
        scope.tests,
        scope.config.prerelease.value,
        takes_in=scope.takes_in,
        leaves=scope.leaves,
        left_in=scope.left_in,
        refused=partial(unusable_releases, scope.config.released),
    )


def _limited(scope: Scope, name: str) -> Scope:
    """A scope for one of several protocols. Raises InputError."""
    policy = scope.policies[-1]
    protocols = policy.config.protocols.value or Protocols()
    claims = [(claim.name, claim) for claim in protocols.claims]
    claim = chosen(claims, name, protocols.path or "the settings")
    placed = policy.placed(scope.top)
    return scope.of_protocol(claim.name, lambda path: protocols.owner(placed(path), contested=True))


def _newest(snapshots: Sequence[ReleaseSnapshot], profile: Profile) -> Protocol:
    """The specs of the newest release that has any; sources whose names are not versions come last."""
    parsed = [(ReleaseName.parse(snapshot.name), snapshot) for snapshot in snapshots]
    ordered = sorted(
        ((name, snapshot) for name, snapshot in parsed if name is not None), key=lambda pair: pair[0]
    )
    for snapshot in (
        *(snapshot for name, snapshot in parsed if name is None),
        *(snapshot for _, snapshot in reversed(ordered)),
    ):
        texts = [(path, text) for path, _, text in snapshot.texts()]
        if texts:
            read = partial(read_message, strict=False, profile=profile)
            return Protocol.of(read(text, path) for path, text in texts)
    return Protocol(())


def _read(snapshots: Sequence[ReleaseSnapshot], profile: Profile) -> tuple[list[_Row], list[str], list[str]]:
    """A row for each distinct message of each release, the releases without specs, and unreadable ones.

    Of the specs out of scope, only those count that can be read, and whose message is not in scope as well.
    """
    released_messages: dict[str, ReleasedMessage | InputError] = {}
    rows: dict[tuple[Identity, str], _Row] = {}
    empty: list[str] = []
    unread: list[str] = []

    def read(path: str, name: str, text: bytes) -> ReleasedMessage | InputError:
        if name not in released_messages:
            try:
                released_messages[name] = released_message_of(read_message(text, path, profile=profile))
            except InputError as error:
                released_messages[name] = error
        return released_messages[name]

    refused: set[str] = set()
    for snapshot in snapshots:
        has_specs = False
        own: set[Identity] = set()
        try:
            for path, name, text in snapshot.texts():
                has_specs = True
                released = read(path, name, text)
                if not isinstance(released, InputError):
                    own.add(released.identity)
                    first = rows.get((released.identity, name), (snapshot.name, path))
                    rows[released.identity, name] = (*first[:2], name, False, released)
                elif name not in refused:
                    refused.add(name)
                    unread.append(f"{snapshot.name}: {released}")
            for path, name, text in snapshot.elsewhere():
                released = read(path, name, text)
                if not isinstance(released, InputError) and released.identity not in own:
                    rows.setdefault((released.identity, name), (snapshot.name, path, name, True, released))
        except InputError as error:
            has_specs = True
            unread.append(f"{snapshot.name}: {error.message}")
        if not has_specs:
            empty.append(snapshot.name)
    return list(rows.values()), empty, unread


def _stored(rows: Iterable[_Row]) -> _Stored:
    """Rows in their stored form."""
    by_identity: dict[Identity, list[list[Any]]] = {}
    for release, path, name, is_elsewhere, message in rows:
        row = [release, path, name, is_elsewhere, *to_plain(message)]
        by_identity.setdefault(message.identity, []).append(row)
    return {_json(identity): _json(each) for identity, each in by_identity.items()}


def _json(value: object) -> bytes:
    """A value as JSON without control characters, so that tabs and line ends can separate values."""
    return json.dumps(value, separators=(",", ":")).encode()


class _Rows:
    """The rows of the releases in their stored form; those of an identity are decoded on request.

    Of the specs out of scope, those count whose message, by type and name, a side `has`.
    """

    def __init__(self, stored: _Stored, has: Callable[[str, str], bool]) -> None:
        self._stored = stored
        self._has = has

    def _rows(self, identity: Identity) -> list[list[Any]]:
        rows: list[list[Any]] = json.loads(self._stored.get(_json(identity), b"[]"))
        return [row for row in rows if not row[3] or self._has(row[4], row[5])]

    def identities(self) -> list[Identity]:
        """Those of all messages in scope."""
        return [
            (kind, name)
            for (kind, name), rows in (
                (json.loads(key), json.loads(rows)) for key, rows in self._stored.items()
            )
            if not all(row[3] for row in rows)
        ]

    def messages(self, identity: Identity) -> list[tuple[str, ReleasedMessage]]:
        """The messages with an identity, oldest first, each with its release."""
        return [(row[0], from_plain(row[4:])) for row in self._rows(identity)]

    def places(self, identity: Identity) -> dict[str, tuple[str, str]]:
        """The release and the path of each object that contains a message with an identity."""
        return {name: (release, path) for release, path, name, *_ in self._rows(identity)}


class _Profiles:
    """The profiles of released specs: with the headers that a release states, or else the old side, if there
    is one.
    """

    def __init__(self, around: Surroundings, view: SideView) -> None:
        self.around = around
        self.view = view
        self._before: dict[str, Profile] = {}

    def of(self, release: ReleaseSnapshot, path: str) -> Profile:
        """The profile of the specs in the folder of a path."""
        profile = self.around.scope.profile
        stated = profile_beside(release, path) if profile.path else None
        if stated is not None:
            return with_headers(profile, stated)
        if self.around.sides.old is None:
            return profile
        folder = path.rpartition("/")[0]
        if folder not in self._before:
            # A release may have the spec where the old side has another protocol.
            self._before[folder] = self.view.claimed or self.view.at(path) or profile
        return with_headers(profile, self._before[folder])


class _Texts:
    """Provides complete released specs, reading them again on demand."""

    def __init__(
        self,
        rows: _Rows,
        snapshots: Sequence[ReleaseSnapshot],
        repository: Repository | None,
        profiles: _Profiles,
    ) -> None:
        self.rows = rows
        self.snapshots = snapshots
        self.repository = repository
        self._of_releases = profiles
        self._profiles: dict[str, dict[str, Profile]] = {}

    @cached_property
    def objects(self) -> dict[str, list[str]]:
        """The objects of the specs of each release."""
        return {each.name: [name for _, name, _ in _all_of(each)] for each in self.snapshots}

    def profiles(self, path: str) -> dict[str, Profile]:
        """The profile that the specs in the folder of a path have in each release."""
        folder = path.rpartition("/")[0]
        if folder not in self._profiles:
            self._profiles[folder] = {each.name: self._of_releases.of(each, path) for each in self.snapshots}
        return self._profiles[folder]

    def wire(self, path: str, release: str) -> HeadersAndFrame:
        """What the profile of a release means for messages."""
        return wire_of(self.profiles(path)[release])

    def __call__(self, identity: Identity) -> list[ReleasedSpec]:
        return distinct(self.forms(identity).values())

    def holding(self, identity: Identity) -> dict[str, list[str]]:
        """All releases with each distinct spec of a message, by the first of them."""
        forms = self.forms(identity)
        places = self.rows.places(identity)
        return holders(
            ReleasedSpec(release, forms[name, self.wire(places[name][1], release)].message)
            for release, names in self.objects.items()
            for name in names
            if name in places and (name, self.wire(places[name][1], release)) in forms
        )

    def forms(self, identity: Identity) -> dict[tuple[str, HeadersAndFrame], ReleasedSpec]:
        """The specs of a message by object and profile, each with the first release that has both."""
        places = self.rows.places(identity)
        texts: dict[str, bytes | InputError] = {}
        if self.repository is not None:
            present = self.repository.git.names(places)
            texts.update(self.repository.git.texts(present))
        if places.keys() - texts.keys():
            for snapshot in self.snapshots:
                texts.update({name: text for _, name, text in _all_of(snapshot) if name in places})
        specs: dict[tuple[str, HeadersAndFrame], ReleasedSpec] = {}
        for name, (release, path) in places.items():
            text = texts.get(name)
            if isinstance(text, InputError):
                raise text
            if text is None:
                continue
            first = {self.wire(path, release): release}
            if len({wire_of(profile) for profile in self.profiles(path).values()}) > 1:
                for other, names in self.objects.items():
                    if name in names:
                        first.setdefault(self.wire(path, other), other)
            for wire, named in first.items():
                message = read_message(text, path, strict=False, profile=self.profiles(path)[named])
                specs[name, wire] = ReleasedSpec(named, message)
        return specs


def _all_of(snapshot: ReleaseSnapshot) -> Iterator[tuple[str, str, bytes]]:
    """The specs of a release, those out of scope last."""
    yield from snapshot.texts()
    yield from snapshot.elsewhere()


def _key(snapshots: Sequence[tuple[str, str]], filters: str) -> str:
    digest = hashlib.sha256(f"{SCHEMA}\0{filters}\0".encode(errors="surrogateescape"))
    digest.update(_code().encode())
    for name, key in snapshots:
        digest.update(f"{name}\0{key}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()[:40]


@cache
def _code() -> str:
    """The state of the code that reads releases, which a process loads once."""
    return own_code.stamp("specs", "rules")


def _load(key: str) -> tuple[_Stored, list[str]] | None:
    """The cached rows of a key, and the releases without any; None if absent, not ours, or damaged."""
    try:
        path = cache_folder() / f"{key}.baselines"
        with open(path, "rb") as file:
            state = os.fstat(file.fileno())
            mine = getattr(os, "getuid", lambda: 0)()
            if os.name != "nt" and (state.st_uid != mine or state.st_mode & 0o022):
                return None
            head, _, body = file.read().partition(b"\n")
        if head != _head(key, body):
            return None
        empty, *lines = body.split(b"\n")
        return dict(line.split(b"\t") for line in lines), list(json.loads(empty))
    except (OSError, RuntimeError, ValueError, TypeError):
        return None


def _store(key: str, stored: _Stored, empty: Sequence[str]) -> None:
    """Cache the rows; if that fails, the next check computes them again."""
    body = b"\n".join([_json(empty), *(b"\t".join(pair) for pair in stored.items())])
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(folder / f"{key}.baselines", _head(key, body) + b"\n" + body)
        old = sorted(folder.glob("*.baselines"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in old[KEPT:]:
            with contextlib.suppress(OSError):
                path.unlink()
    except (OSError, RuntimeError):
        return


def _head(key: str, body: bytes) -> bytes:
    return f"{SCHEMA} {key} {hashlib.sha256(body).hexdigest()}".encode()
