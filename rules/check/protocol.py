"""The profile of the specs of a check: from the first release on that of the old side, not the change's."""

import os
import posixpath
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from wirebook.rules.check.conversions import refuse_converted
from wirebook.rules.check.reading import ReadSide
from wirebook.rules.check.scope import Policy, Scope
from wirebook.rules.project.config import Config
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Headers, Profile
from wirebook.specs.profile_choice import own_table, stated_profile
from wirebook.specs.reading.discovery import PROFILE, places_above, relative
from wirebook.specs.sources.filesets import FileSet
from wirebook.specs.sources.revisions import ComparedSides

HeadersAndFrame: TypeAlias = tuple[Headers, int]
"""What a profile means for messages: their headers and the frame length."""


class SpecProfiles:
    """The profiles by which a check judges specs, by the paths of these on either side.

    `views` has the sides, the old one first, and `paths` has the specs that differ. Uses for each spec, on
    each side, the old one first, `[[protocol]]`, the nearest profile.toml, or the table `[protocol]` of the
    configuration. Message types that only the new side has are added. For two sources, the configuration is
    the one in their folders or above; that of the current folder counts if neither has one.
    """

    def __init__(
        self, scope: Scope, sides: ComparedSides, views: "Sequence[SideView]", paths: Sequence[str]
    ) -> None:
        self.scope = scope
        self.sides = sides
        self.views = views
        self.paths = paths
        # By the folder on each side; they differ behind a link.
        self._by_folder: dict[tuple[str, ...], Profile] = {}

    @cached_property
    def first(self) -> Profile:
        """The profile of the first spec that differs, and of the others if they have no other one. Raises
        InputError for one that cannot be read.
        """
        return self._of(self.paths)

    def of(self, path: str) -> Profile:
        """The profile of the spec at a path. Raises InputError for one that cannot be read."""
        folders = tuple(posixpath.dirname(view.side.places.get(path, path)) for view in self.views)
        if folders not in self._by_folder:
            self._by_folder[folders] = self._of([path])
        return self._by_folder[folders]

    def apply(self, old: ReadSide, new: ReadSide) -> None:
        """Give messages that the change moves to where only the new side has a profile that of their old
        place; their headers stay as they are.
        """
        places = {message.identity: path for path, message in old.messages.items()}
        for path, message in new.messages.items():
            former = places.get(message.identity, path)
            if path not in old.messages and former != path and not self._is_of_old_side(path):
                own = with_headers(self.of(former), message.profile)._replace(path=message.profile.path)
                new.messages[path] = message._replace(profile=own)

    def _is_of_old_side(self, path: str) -> bool:
        view = self.views[0]
        stated = view.claimed or self._beside(view, [path]) or view.config.protocol.value
        return stated is not None

    def _of(self, paths: Sequence[str]) -> Profile:
        if any(self.sides.sources):
            for view in self.views:
                profile = self._beside(view, paths) or view.configured(paths)
                if profile is not None:
                    return profile
        newest: Profile | None = None
        for view in self.views:
            profile = view.claimed or self._beside(view, paths) or view.config.protocol.value
            if newest is not None:
                return newest if profile is None else _with_added_types(newest, profile)
            newest = profile
        return newest or NEUTRAL

    def _beside(self, view: "SideView", paths: Sequence[str]) -> Profile | None:
        """The nearest profile.toml of some specs. On the old side, specs whose folder is new have the one
        that moved there.
        """
        profile = view.beside([view.side.places.get(path, path) for path in paths])
        if profile is not None or view is self.views[-1]:
            return profile
        if any(self.sides.sources):
            # The folders of two sources may have different names.
            return next(iter(self._stated[0].values()), None)
        after = self.views[-1].beside(paths)
        return None if after is None else self._former.get(after.path)

    @cached_property
    def _stated(self) -> Sequence[Mapping[str, Profile]]:
        """Each profile.toml of each side by its path, also of specs that only moved."""
        owns = self.scope.owns
        files = (path for view in self.views for path in view.side.files if owns is None or owns(path))
        paths = list(dict.fromkeys((*self.paths, *files)))
        return [view.stated_near(paths) for view in self.views]

    @cached_property
    def _former(self) -> Mapping[str, Profile]:
        """The profiles of the old side that moved, by their new paths."""
        return {after: self._stated[0][before] for before, after in moved_profiles(*self._stated).items()}


def moved_profiles(old: Mapping[str, Profile], new: Mapping[str, Profile]) -> dict[str, str]:
    """The profiles that moved, as old and new paths: paired by name, or because only one moved."""
    removed = [path for path in old if path not in new]
    added = [path for path in new if path not in old]
    if len(removed) == len(added) == 1:
        return {removed[0]: added[0]}
    named = {path: [each for each in added if new[each].name == old[path].name] for path in removed}
    moved = {path: places[0] for path, places in named.items() if len(places) == 1}
    return {path: place for path, place in moved.items() if [*moved.values()].count(place) == 1}


def _with_added_types(old: Profile, new: Profile) -> Profile:
    """The profile of the old side, with the message types that only the new one has: a change may add a type
    together with its first message, because no message of the old side is of that type.
    """
    added = [each for each in new.message_types if each not in old.message_types]
    if not added:
        return old
    others = [each for each in new.headers.others if each.type in added]
    return old._replace(
        message_types=(*old.message_types, *added),
        keyed_types=(*old.keyed_types, *(each for each in new.keyed_types if each in added)),
        suffixes={**old.suffixes, **{each: new.suffixes[each] for each in added if each in new.suffixes}},
        headers=old.headers._replace(others=(*old.headers.others, *others)),
    )


def _from_top(scope: Scope, policy: Policy, profile: Profile, configuration: str) -> Profile:
    """A profile that a configuration has or names, with the paths of that file and of tables from the top."""
    above = relative(policy.folder, os.path.realpath(scope.top)).replace(os.sep, "/")
    start = posixpath.dirname(configuration) or "."

    def placed(path: str) -> str:
        return posixpath.normpath(posixpath.join(above, posixpath.relpath(path, start)))

    tables = {what: placed(path) for what in profile.tables if (path := own_table(profile, what)) is not None}
    return profile._replace(path=placed(configuration), tables=tables)


class HeaderChanges:
    """Gives messages of both sides the headers of their side's profile, if these differ, and the names that
    it gives to messages and to fields of headers.
    """

    def __init__(self, scope: Scope, old: "SideView", new: "SideView") -> None:
        self.scope = scope
        self.views = old, new

    def apply(self, old: ReadSide, new: ReadSide) -> None:
        """Set the headers of the messages concerned; these are then judged, even if their specs are
        unchanged.
        """
        places = {message.identity: path for path, message in old.messages.items()}
        for path, message in list(new.messages.items()):
            old_path = path if path in old.messages else places.get(message.identity)
            if old_path is None:
                # Releases may have it, with the headers of their own profile.
                stated = self.views[1].at(path)
                types = (*message.profile.headers.types, *(stated.headers.types if stated else ()))
                if stated is not None and message.type in types:
                    own = with_headers(message.profile, stated)._replace(path=stated.path)
                    new.messages[path] = message._replace(profile=own)
                continue
            before, after = self.views[0].at(old_path), self.views[1].at(path)
            if before is None or after is None:
                continue
            if message.type not in (*before.headers.types, *after.headers.types):
                continue
            if wire_of(before) != wire_of(after):
                name = after.path or before.path
                for side, place, stated, named in (
                    (old, old_path, before, before.path),
                    (new, path, after, name),
                ):
                    own = with_headers(side.messages[place].profile, stated)._replace(path=named)
                    side.messages[place] = side.messages[place]._replace(profile=own)
                    side.context.discard(place)
        for view, side in zip(self.views, (old, new), strict=True):
            for path, message in side.messages.items():
                stated = view.at(path)
                if stated is not None and stated.path:
                    side.messages[path] = message._replace(profile=_with_names(message.profile, stated))


class ProfileChanges(NamedTuple):
    """What a change does to profiles: a sentence for each edit, and the paths of messages whose headers
    change.

    The latter is None if no header can change.
    """

    words: tuple[str, ...] = ()
    headers: HeaderChanges | None = None


def profile_changes(
    scope: Scope, sides: ComparedSides, moved: bool, views: "tuple[SideView, SideView] | None" = None
) -> ProfileChanges:
    """The effect of a change on each profile.toml next to the specs, on what it extends, and on the
    configuration's.

    `moved` is whether specs changed their paths; `views` have what is known of both sides. Raises InputError
    for a profile that cannot be read.
    """
    if sides.old is None or (sides.base is None and not any(sides.sources)):
        return ProfileChanges()
    paths = [*sides.old.files, *sides.new.files]
    if any(path.endswith(".toml") and path.rpartition("/")[2] != PROFILE for path in paths):
        # The change may edit a profile that others extend; only the profiles of all specs show which.
        paths += sides.new.every_path() if sides.new.every_path is not None else ()
    old, new = views or (SideView(scope, sides, sides.old), SideView(scope, sides, sides.new))
    words: list[str] = []
    differ = moved and not (old.is_outside or new.is_outside)
    names = old.places(paths)
    old.possible(names), new.possible(names)
    for name in names:
        texts = (old.text(name), new.text(name))
        if texts[0] == texts[1] and (texts[0] is None or b"extends" not in texts[0]):
            continue
        # A move changes only the path.
        before, after = ((view.stated(name) or NEUTRAL)._replace(path="") for view in (old, new))
        if wire_of(before) != wire_of(after):
            words.append(f"this change gives messages other headers ({name})")
        elif before != after:
            words.append(f"this change edits the profile of the protocol ({name})")
        differ = differ or before != after
    differ = differ or old.configured(paths) != new.configured(paths)
    differ = differ or meant_by(old.config) != meant_by(new.config)
    return ProfileChanges(tuple(words), HeaderChanges(scope, old, new) if differ else None)


def meant_by(config: Config | None) -> object:
    """What a configuration defines about several protocols."""
    protocols = config and config.protocols.value
    return protocols.meant if protocols else None


def with_headers(profile: Profile, other: Profile) -> Profile:
    """A profile with the headers and the frame length of another one."""
    return profile._replace(headers=other.headers, frame_length=other.frame_length, positions=other.positions)


def _with_names(profile: Profile, other: Profile) -> Profile:
    """A profile with the names of another one, which are not on the wire: endings, and fields of headers."""
    return profile._replace(
        suffixes=other.suffixes,
        header_fields=other.header_fields,
        positions=other.positions,
        path=other.path,
    )


def wire_of(profile: Profile) -> HeadersAndFrame:
    """The headers and the frame length of messages."""
    return profile.headers, profile.frame_length


class SideView:
    """The profiles of one side: those next to its specs, and that of its configuration."""

    def __init__(self, scope: Scope, sides: ComparedSides, side: FileSet) -> None:
        self.scope = scope
        self.sides = sides
        self.side = side
        # Without an old side, an empty one takes its place.
        self.is_old = side is sides.old or side is not sides.new
        self.source = sides.sources[0 if self.is_old else 1]
        self._texts: dict[str, bytes | None] = {}
        self._stated: dict[str, Profile | None] = {}
        self._above: int | None = None

    @property
    def is_outside(self) -> bool:
        """Whether the side is a separate source, outside this repository."""
        return self.source is not None

    def at(self, path: str) -> Profile | None:
        """The profile of the spec at a path, which is neutral if the side has none; None if it is unknown.

        A separate source may be a folder that came without the profile of its repository.
        """
        claimed = self.claimed_at(path)
        path = self.side.places.get(path, path)
        profile = claimed or self.beside([path]) or self.configured([path])
        return profile or (None if self.is_outside else NEUTRAL)

    def beside(self, paths: Sequence[str]) -> Profile | None:
        """The nearest profile.toml of the specs at some paths."""
        return next(filter(None, map(self.stated, self.possible(self.places(paths)))), None)

    def stated_near(self, paths: Sequence[str]) -> dict[str, Profile]:
        """Each profile.toml above some paths, by its own path."""
        names = self.possible(self.places(paths))
        return {name: profile for name in names if (profile := self.stated(name)) is not None}

    @property
    def claimed(self) -> Profile | None:
        """The profile that the tables [[protocol]] of the side give to the protocol that is judged."""
        names = self.scope.part_names
        return self._profile_named(names[0 if self.is_old else -1]) if names else None

    def claimed_at(self, path: str) -> Profile | None:
        """The profile that the tables [[protocol]] of the side give to the spec at a path."""
        return self._profile_named(self.owner(path))

    def owner(self, path: str) -> str:
        """The name of the protocol that has the spec at a path by the tables of the side; "" for none."""
        protocols = self.config.protocols.value
        placed = self._policy.placed(self.scope.top)
        return protocols.owner(placed(path), contested=True) if protocols else ""

    def _profile_named(self, name: str) -> Profile | None:
        protocols = self.config.protocols.value
        claim = protocols.find(name) if protocols else None
        return claim and claim.profile

    @property
    def _policy(self) -> Policy:
        return self.scope.policies[0 if self.is_old else -1]

    @property
    def config(self) -> Config:
        """The configuration of the side, or that of the current folder for a separate source."""
        return self._policy.config

    def configured(self, paths: Sequence[str]) -> Profile | None:
        """The profile in the configuration of the side."""
        if self.source is None:
            return self.config.protocol.value
        from wirebook.specs.reading.profiles import CONFIGURATIONS

        names = [place for name in CONFIGURATIONS for place in self.places(paths, name)]
        return next(filter(None, map(self.stated, names)), None)

    def places(self, paths: Sequence[str], name: str = PROFILE) -> Sequence[str]:
        """The possible paths of a file name, the nearest first."""
        if self.source is None:
            return places_above(paths, name)
        from wirebook.specs.sources.beside import folders_above, places_beside

        if self._above is None:
            # It reads the file system, and each spec has its places.
            self._above = folders_above(self.source)
        return places_beside(self.source, paths, name, self._above)

    def stated(self, name: str) -> Profile | None:
        """The profile that a file has; None if there is none."""
        if name not in self._stated:
            self._stated[name] = self._profile(name)
        return self._stated[name]

    def _profile(self, name: str) -> Profile | None:
        try:
            text = self.text(name)
            return None if text is None else stated_profile(text, name, self.text)
        except InputError as error:
            if not self.is_old or self.sides.base is None:
                raise
            raise self.scope.of_old_side(error, self.sides.base) from None

    def text(self, path: str) -> bytes | None:
        """The text of a file, None if there is none."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def possible(self, names: Sequence[str]) -> Sequence[str]:
        """The paths at which there may be a file; one query covers all paths in a commit."""
        commit = self.sides.base if self.is_old else self.sides.tip
        if self.source is not None or self.scope.repository is None:
            return names
        git = self.scope.repository.git
        present = set(self.side.files)
        if commit is not None:
            present.update(git.existing(commit, names))
        elif self.sides.base is not None and self.sides.rest is not None:
            present.update(git.existing(self.sides.base, names), filter(self.sides.may_add, names))
        else:
            return names
        self._texts.update((name, None) for name in names if name not in present)
        return [name for name in names if self._texts.get(name, b"") is not None]

    def _read(self, path: str) -> bytes | None:
        text = self._raw(path)
        if text is not None and self.source is None and self.scope.repository is not None:
            refuse_converted(self.side, path, text, "table" if path.endswith(".json") else "profile")
        return text

    def _raw(self, path: str) -> bytes | None:
        scope = self.scope
        if path in self.side.files:
            text = self.side.read([path])[path]
            if isinstance(text, InputError):
                raise text
            return text
        if self.source is not None:
            from wirebook.specs.reading.profiles import FILES
            from wirebook.specs.sources.beside import texts_beside

            if path.rpartition("/")[2] in FILES:
                return None  # These were read with the specs.

            return next((file.text for file in texts_beside(self.source, [path])), None)
        place = scope.top / path
        if self.is_old:
            return None if self.sides.base is None else scope.text_of(self.sides.base, place)
        if scope.is_in_git(place):
            return scope.text_in_git(place)
        if path in self.side.omitted and scope.repository is not None:
            return scope.repository.git.text("", path, MAX_SETTINGS)
        if not place.is_file() or _behind_a_link(scope, path):
            return None
        if scope.repository is not None and scope.top.resolve() not in place.resolve().parents:
            raise InputError("this is outside the repository", path)
        return read_input(place, MAX_SETTINGS, path)


def configured_profile(scope: Scope, view: SideView, profile: Profile | None) -> Profile:
    """The profile of a configuration, with its path and those of tables from the top; neutral for None."""
    if profile is None or view.is_outside:
        return profile or NEUTRAL
    policy = scope.policies[0 if view.is_old else -1]
    # The profile of a protocol among several may be in a file that the configuration names.
    protocols = policy.config.protocols.value
    return _from_top(scope, policy, profile, protocols.path if protocols else profile.path)


def used_profile(scope: Scope, view: SideView, path: str) -> Profile:
    """The profile of the specs beside a path, with its tables by their paths from the top; neutral if a side
    has none.
    """
    claim = view.claimed_at(path)
    if claim is not None:
        return configured_profile(scope, view, claim)
    return view.beside([path]) or configured_profile(scope, view, view.configured([path]))


def text_of(view: SideView, path: str) -> bytes | InputError | None:
    """The text of a file, or the error that names it; None if there is none."""
    try:
        return view.text(path)
    except InputError as error:
        return error if error.path is not None else InputError(error.message, path, error.position)


def _behind_a_link(scope: Scope, path: str) -> bool:
    """Whether a folder of a path is a link within the repository.

    A commit has no file at such a path; the target of the link is found next to the specs in its own folder.
    """
    top = os.path.realpath(scope.top)
    named = os.path.normpath(os.path.join(top, posixpath.dirname(path)))
    folder = os.path.realpath(named)
    inside = folder == top or folder.startswith(top + os.sep)
    return inside and folder != named
