"""Which profile the specs of a check have: that of the old side, which the change cannot edit."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Sequence

from wirebook.rules.check.policy import text_of_old_side
from wirebook.rules.check.scope import Scope
from wirebook.specs.kafka.recognition import lies_in_kafka, places, says_api_versions
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profiles import KAFKA, embedded_profile, stated_profile
from wirebook.specs.reading.discovery import PROFILE, places_above
from wirebook.specs.sources.filesets import FileSet
from wirebook.specs.sources.revisions import Comparison


def profile_of_sides(scope: Scope, sides: Comparison, paths: Sequence[str]) -> Profile:
    """The profile of the specs of both sides, of which those at `paths` differ.

    On each side, the old one first: what `[[protocol]]` says, the profile.toml beside the specs, the table
    `[protocol]` of the configuration, or Kafka's where the specs of ApiVersions are there. Raises InputError
    for a profile that cannot be read.
    """
    beside = places_above(paths, PROFILE)
    for side, policy in ((sides.old, scope.policies[0]), (sides.new, scope.policies[-1])):
        if side is None:
            continue
        if scope.part:
            claim = policy.config.protocols.value and policy.config.protocols.value.find(scope.part)
            if claim and claim.profile is not None:
                return claim.profile
        opened = _opener(scope, sides, side)
        found = _beside(_there(scope, sides, side, beside), opened)
        if found is None:
            found = policy.config.protocol.value
        if found is None and _is_kafka(scope, sides, side, paths):
            found = embedded_profile(KAFKA)
        if found is not None:
            return found
    return NEUTRAL


def profile_changes(scope: Scope, sides: Comparison) -> tuple[str, ...]:
    """A sentence for each profile.toml beside the specs that a change edits, or of which it edits what the
    profile extends.

    Raises InputError for a profile that cannot be read.
    """
    if sides.old is None or sides.base is None:
        return ()
    beside = places_above([*sides.old.files, *sides.new.files], PROFILE)
    old, new = (_opener(scope, sides, side) for side in (sides.old, sides.new))
    known = set(_there(scope, sides, sides.old, beside))
    found = []
    for name in beside:
        texts = (old(name) if name in known else None, new(name))
        if texts[0] == texts[1] and (texts[0] is None or b"extends" not in texts[0]):
            continue
        before, after = (_stated(text, name, opened) for text, opened in zip(texts, (old, new), strict=True))
        if (before.headers, before.frame_length) != (after.headers, after.frame_length):
            found.append(f"this change gives messages other headers than those of the releases ({name})")
        elif before != after:
            found.append(f"this change edits the profile of the protocol ({name})")
    return tuple(found)


def _stated(text: bytes | None, name: str, opened: Callable[[str], bytes | None]) -> Profile:
    """The profile in a text without its path, which a move changes; that of no protocol for None."""
    stated = None if text is None else stated_profile(text, name, opened)
    return (stated or NEUTRAL)._replace(path="")


def _there(scope: Scope, sides: Comparison, side: FileSet, names: Sequence[str]) -> Sequence[str]:
    """Those of some paths at which a side may have a file: one query asks for all of a commit."""
    if side is not sides.old or sides.base is None or scope.repository is None:
        return names
    there = scope.repository.git.names(f"{sides.base}:{name}" for name in names)
    return [name for name in names if f"{sides.base}:{name}" in there or name in side.files]


def _beside(names: Sequence[str], opened: Callable[[str], bytes | None]) -> Profile | None:
    for name in names:
        text = opened(name)
        if text is not None:
            return stated_profile(text, name, opened)
    return None


def _opener(scope: Scope, sides: Comparison, side: FileSet) -> Callable[[str], bytes | None]:
    """What gives the text of a file of a side by its path."""
    is_old = side is sides.old

    def opened(path: str) -> bytes | None:
        if path in side.files:
            text = side.read([path])[path]
            if isinstance(text, InputError):
                raise text
            return text
        if scope.request.old is not None:
            return None
        place = scope.top / path
        if is_old:
            return text_of_old_side(scope, sides.base, place)
        if scope.is_staged(place):
            return scope.staged(place)
        if not place.is_file() or _behind_a_link(scope, path):
            return None
        if scope.repository is not None and scope.top.resolve() not in place.resolve().parents:
            raise InputError("this is a link that leads out of the repository", path)
        from wirebook.specs.files import read_input

        return read_input(place, MAX_SETTINGS, path)

    return opened


def _behind_a_link(scope: Scope, path: str) -> bool:
    """Whether a folder on the way to a file is a link within the repository: a commit has no file there, and
    the one that the link leads to is found beside the specs in its own folder.
    """
    top = os.path.realpath(scope.top)
    named = os.path.normpath(os.path.join(top, posixpath.dirname(path)))
    folder = os.path.realpath(named)
    inside = folder == top or folder.startswith(top + os.sep)
    return inside and folder != named


def _is_kafka(scope: Scope, sides: Comparison, side: FileSet, paths: Sequence[str]) -> bool:
    """Whether the specs of a side are Kafka's, by those, too, that both sides have alike."""
    if lies_in_kafka(path for path in paths if path in side.files):
        return True
    wanted = places(paths)
    found = [side, sides.some(wanted)] if sides.some is not None else [side]
    for files in found:
        there = [path for path in wanted if path in files.files]
        if files is side:
            there += [path for path in paths if path in files.files]
        if sides.some is None:
            names = {posixpath.basename(path) for path in wanted}
            there += [path for path in files.files if posixpath.basename(path) in names]
        own = there if scope.owns is None else filter(scope.owns, there)
        texts = files.read(dict.fromkeys(own)).values()
        if any(not isinstance(text, InputError) and says_api_versions(text) for text in texts):
            return True
    return False
