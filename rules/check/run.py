"""Runs a check: reads both sides, judges what differs, and applies waivers and configuration."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebook import __version__
from wirebook.rules.causes import TOLERATED_BY_PRECEDENT
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.scope import Scope
from wirebook.rules.check.sides import sides_of
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding
from wirebook.rules.result import Report
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import REGISTRY, is_spec, place_of
from wirebook.specs.reading.reader import read_message
from wirebook.specs.sources.filesets import FileSet, differing
from wirebook.specs.sources.revisions import Comparison

if TYPE_CHECKING:
    from wirebook.rules.check.baselines import Baselines
    from wirebook.rules.project.config import Config
    from wirebook.rules.released import Released
    from wirebook.specs.levels import Registry
    from wirebook.specs.versions import Versions


class Judged(NamedTuple):
    """A report, and the messages that it is about: on the old side (None where there is none), on the new,
    and the registries of ApiVersions of both, where these were looked at.
    """

    report: Report
    old: Protocol | None
    new: Protocol
    registries: tuple[Registry | None, Registry | None]


def judge(request: CheckRequest) -> Judged:
    """Check what is asked for. Raises InputError for what stops it at once, OSError."""
    with ExitStack() as stack:
        return _Job(Scope(request, stack)).judged()


def effective_config(request: CheckRequest) -> Config:
    """The configuration that a check goes by, each setting with its origin. Raises InputError."""
    with ExitStack() as stack:
        return Scope(request, stack).config


@dataclass(eq=False, repr=False)
class _Read:
    """What was read of one side: texts and messages by path, and why some cannot be used."""

    texts: dict[str, bytes] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)  # paths of what cannot be read
    context: set[str] = field(default_factory=set)  # paths of what both sides have alike

    @property
    def judged(self) -> list[Message]:
        return [message for path, message in self.messages.items() if path not in self.context]

    @property
    def protocol(self) -> Protocol:
        return Protocol.of(self.messages.values())


class _Job:
    """One check."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.registries: tuple[Registry | None, Registry | None] = (None, None)
        self.waivers: dict[str, bytes] = {}
        self._alike: FileSet | None = None

    def judged(self) -> Judged:
        """Read both sides, judge what differs, and apply waivers and configuration."""
        sides = sides_of(self.scope)
        released = self._released()
        old, new, found, words = self._judge(sides, released)
        unread = [*(sides.old.unread if sides.old else ()), *sides.new.unread, *old.unread, *new.unread]
        unread += released.unread if released else ()
        names = {message.name for message in (*new.judged, *old.judged) if self.scope.wants(message.path)}
        findings = self._settled(found, names)
        baselines = f"; released: {released.words}" if released else ""
        made = Report(
            findings=tuple(findings),
            compared=f"{sides.words}{baselines}{words}",
            tool_version=__version__,
            messages_checked=len(names),
            new_texts=_decoded(
                {**new.texts, **self.waivers}, (item.location.path for item in findings if item.location)
            ),
            old_texts=_decoded(old.texts, (item.previous.path for item in findings if item.previous)),
            notices=(*sides.notices, *(released.notices if released else ()), *self.scope.notices),
            unchecked=tuple(dict.fromkeys(unread)),
            command=self.scope.request.command if findings else "wirebook check",
        )
        before = None if sides.old is None else Protocol.of(old.judged)
        return Judged(made, before, Protocol.of(new.judged), self.registries)

    # What is judged.

    def _judge(
        self, sides: Comparison, released: Baselines | None
    ) -> tuple[_Read, _Read, list[Finding], str]:
        """What was read of both sides, the findings, and words on how much differs."""
        everything = self.scope.request.everything
        given: Released | tuple[()] = () if released is None else released.released
        if sides.old is None:
            new = self._read(sides.new, [path for path in sides.new.files if self.scope.wants(path)])
            if not new.texts and not new.unread and not sides.new.unread:
                raise InputError(f"there are no message specs to check: {sides.words}")
            self.registries = self._registries(sides, _Read(), new)
            registry = self.registries[1]
            found = check(None, new.protocol, given, everything=everything, new_registry=registry)
            return _Read(), new, found, ""
        gone, come, moved = differing(sides.old.files, sides.new.files)
        old = self._read(sides.old, gone, whole=True)
        new = self._read(sides.new, come, old.texts)
        for path in new.broken & old.messages.keys():
            # It has not gone: what has become of it is not known.
            del old.messages[path]
        words = self._words(sides, old, new)
        new.unread += self._named_alike(sides, old, new)
        self.registries = self._registries(sides, old, new)
        judge = partial(check, old_registry=self.registries[0], new_registry=self.registries[1])
        if moved or everything or _outlines(old) != _outlines(new):
            # What is said of all specs together may depend on those that do not differ.
            rest = self._rest(sides)
            old, new = self._beside(sides, old, new, rest, rest.files)
            # Of a set with a gap in it nothing can be said that holds.
            together = not old.broken and not new.broken and not sides.new.unread
            found = judge(old.protocol, new.protocol, given, together=together, everything=everything)
        else:
            halves = self._halves(sides, old, new)
            both = (old, new) if halves is None else self._beside(sides, old, new, *halves)
            found = judge(both[0].protocol, both[1].protocol, given, together=False)
            context = self._context(sides, old, found)
            if context is not None:
                paths = [*context[1], *(halves[1] if halves else ())]
                side = self._near(sides, paths) if halves else context[0]
                both = self._beside(sides, old, new, side, paths)
                found = judge(both[0].protocol, both[1].protocol, given, together=False)
            old, new = both
        if self.scope.names:
            places = [(item, item.location or item.previous) for item in found]
            found = [item for item, place in places if place is not None and self.scope.wants(place.path)]
        return old, new, found, words

    def _words(self, sides: Comparison, old: _Read, new: _Read) -> str:
        """How much differs; raises InputError where there is nothing that could."""
        differ = {
            path for side in (old, new) for path in (*side.texts, *side.messages) if self.scope.wants(path)
        }
        if not differ and not old.unread and not new.unread and not sides.new.unread:
            rest = self._rest(sides)
            if self.scope.names:
                self._all_there(sides, rest)
            elif not self._some_spec(rest) and not self._some_spec(sides.new):
                raise InputError(f"there are no message specs to check: {sides.words}")
        return f": {len(differ)} {'spec differs' if len(differ) == 1 else 'specs differ'}"

    def _named_alike(self, sides: Comparison, old: _Read, new: _Read) -> list[str]:
        """Why files that are named, and that both sides have alike, cannot be read: who asks for a file is
        told of it.
        """
        known = {*old.texts, *new.texts, *old.broken, *new.broken, ""}
        if self.scope.names <= known:
            return []
        rest = self._rest(sides)
        return self._read(rest, sorted((self.scope.names - known) & rest.files.keys())).unread

    def _rest(self, sides: Comparison) -> FileSet:
        """What both sides have alike."""
        if sides.rest is not None:
            if self._alike is None:
                self._alike = self.scope.taken(sides.rest())
            return self._alike
        before = {} if sides.old is None else sides.old.files
        same = {path: name for path, name in sides.new.files.items() if before.get(path) == name}
        return sides.new._replace(files=same)

    def _near(self, sides: Comparison, paths: Iterable[str]) -> FileSet:
        """As `_rest`, of some files at least: to list all of an index takes another git."""
        if sides.some is None or self._alike is not None:
            return self._rest(sides)
        return self.scope.taken(sides.some(paths))

    def _some_spec(self, side: FileSet) -> bool:
        paths = sorted(side.files, key=place_of, reverse=True)
        for start in range(0, len(paths), 50):
            read = side.read(paths[start : start + 50])
            if any(
                isinstance(text, InputError) or is_spec(text, place_of(path)) for path, text in read.items()
            ):
                return True
        return False

    def _all_there(self, sides: Comparison, rest: FileSet) -> None:
        known = [*rest.files, *sides.new.files, *(sides.old.files if sides.old else ())]
        for name in self.scope.names:
            if not any(path == name or path.startswith(f"{name}/") or not name for path in known):
                raise InputError(self._absence(name), name)

    def _absence(self, name: str) -> str:
        """Why there is no spec of a name, which begins at the top, on either side."""
        if name.startswith("../") and self.scope.repository is not None:
            return "this lies outside of the repository: name two sources by --old and --new"
        parts = name.split("/")
        folders = ["/".join(parts[: number + 1]) for number in range(len(parts))]
        inner = next((folder for folder in folders if (self.scope.top / folder / ".git").exists()), None)
        if self.scope.repository is not None and inner is not None:
            return f"{inner} is another repository: check it from there"
        return "there is no such spec on either side"

    def _context(
        self, sides: Comparison, old: _Read, found: Sequence[Finding]
    ) -> tuple[FileSet, Iterable[str]] | None:
        """What both sides have alike, and the files of it on which it depends how bad the findings are."""
        if any(item.rule in TOLERATED_BY_PRECEDENT for item in found):
            rest = self._rest(sides)
            return rest, rest.files
        known = {message.api_key for message in old.messages.values() if message.type == "request"}
        wanted = {item.api_key for item in found if item.message_type == "response"} - known
        if not wanted:
            return None
        # Kafka marks the request alone as unstable.
        side, paths = self._partners(sides, old.messages, {("request", key) for key in wanted})
        partners = self._read(side, paths).messages.values()
        return (side, paths) if any(message.latest_version_unstable for message in partners) else None

    def _halves(self, sides: Comparison, old: _Read, new: _Read) -> tuple[FileSet, Iterable[str]] | None:
        """What both sides have alike, and the files of it that hold the other half of an API whose versions
        change.
        """
        before, after = _ranges(old), _ranges(new)
        changed = {identity for identity, ranges in after.items() if before.get(identity) != ranges}
        others = {("response" if kind == "request" else "request", key) for kind, key in changed}
        if not others - after.keys():
            return None
        return self._partners(sides, new.messages, others - after.keys())

    def _partners(
        self, sides: Comparison, paths: Iterable[str], wanted: set[tuple[str, int | None]]
    ) -> tuple[FileSet, Iterable[str]]:
        """What both sides have alike, and the files of it that hold requests and responses of some API keys:
        known by what the other half of the API is called, or else all there are.
        """
        swapped = {"Request.json": "Response.json", "Response.json": "Request.json"}
        near = [
            path.removesuffix(ending) + other
            for path in paths
            for ending, other in swapped.items()
            if path.endswith(ending)
        ]
        side = self._near(sides, near)
        found = self._read(side, [path for path in near if path in side.files]).messages.values()
        if wanted <= {(message.type, message.api_key) for message in found}:
            return side, [message.path for message in found]
        rest = self._rest(sides)
        return rest, rest.files

    def _registries(
        self, sides: Comparison, old: _Read, new: _Read
    ) -> tuple[Registry | None, Registry | None]:
        """The registries of ApiVersions of both sides, where they differ or what differs depends on them."""
        before = sides.old.files if sides.old else {}
        changed = [
            path
            for path in {**before, **sides.new.files}
            if path.rpartition("/")[2] == REGISTRY and before.get(path) != sides.new.files.get(path)
        ]
        told = any(message.history for message in new.messages.values())
        if not changed and not told and _ranges(old) == _ranges(new) and _unstable(old) == _unstable(new):
            return None, None
        from wirebook.specs.levels import read_registry, registry_places

        places = dict.fromkeys([*changed, *registry_places([*old.messages, *new.messages])])
        if sides.rest is not None and not changed and not self._lies_here(places):
            return None, None
        rest = self._rest(sides)
        found: list[Registry | None] = []
        for side, read in ((sides.old, old), (sides.new, new)):
            registry = None
            for place in places:
                files = next(
                    (part for part in (side, rest) if part is not None and place in part.files), None
                )
                if files is None:
                    continue
                text = files.read([place])[place]
                try:
                    if isinstance(text, InputError):
                        raise text
                    registry = read_registry(text, place)
                    read.texts[place] = text
                except InputError as error:
                    read.unread.append(str(error))
                    read.broken.add(place)
                break
            found.append(registry)
        # Of a registry that cannot be read nothing is known: it has not gone.
        whole = not any(place in side.broken for side in (old, new) for place in places)
        return (found[0], found[1]) if whole else (None, None)

    def _lies_here(self, places: Iterable[str]) -> bool:
        """Whether there may be a file at one of some paths: one that the working tree lacks, and that does
        not differ, is not looked for in the index or a commit, which takes another git.
        """
        if self.scope.repository is None or self.scope.repository.top is None:
            return True
        return any((self.scope.top / place).exists() for place in places)

    def _beside(
        self, sides: Comparison, old: _Read, new: _Read, rest: FileSet, paths: Iterable[str]
    ) -> tuple[_Read, _Read]:
        """Both sides with files that they have alike; what of these cannot be read is no matter of this
        change.
        """
        same = self._read(rest, paths)
        unread = same.unread if self.scope.request.everything else []
        before, after = (
            _Read({**same.texts, **side.texts}, {**same.messages, **side.messages}, side.unread, side.broken)
            for side in (old, new)
        )
        after.unread = [*after.unread, *unread]
        if sides.old is not None:
            # Files that moved as they are.
            known = sides.old.files
            was = [path for path in known if path not in before.texts and path not in sides.new.files]
            now = [path for path in sides.new.files if path not in after.texts and path not in known]
            moved_old, moved_new = self._read(sides.old, was, whole=True), self._read(sides.new, now)
            for side, more in ((before, moved_old), (after, moved_new)):
                side.texts.update(more.texts)
                side.messages.update(more.messages)
        before.context = before.messages.keys() - old.messages.keys()
        after.context = after.messages.keys() - new.messages.keys()
        if self.scope.request.everything:
            after.context = set()
        return before, after

    def _read(
        self,
        side: FileSet,
        paths: Iterable[str],
        older: Mapping[str, bytes] | None = None,
        whole: bool = False,
    ) -> _Read:
        """Read the specs among some files; what was one on the older side is meant to be one still.

        With `whole`, one with a value that nothing can be made of cannot be read: on the new side that is a
        finding, but on the old one there is then nothing to compare with.
        """
        wanted = list(paths)
        found = _Read()
        for path, text in side.read(wanted).items():
            if isinstance(text, InputError):
                found.unread.append(f"{path}: {text.message}")
                found.broken.add(path)
                continue
            meant = (path in self.scope.names and path.rpartition("/")[2] != REGISTRY) or path in (
                older or ()
            )
            if not (meant or is_spec(text, place_of(path))):
                continue
            found.texts[path] = text
            try:
                found.messages[path] = read_message(text, path, strict=whole)
            except InputError as error:
                found.unread.append(str(error))
                found.broken.add(path)
        return found

    def _released(self) -> Baselines | None:
        named = self.scope.config.released.value
        if not named:
            return None
        from wirebook.rules.check.baselines import read_baselines

        paths = (
            *self.scope.config.paths.value,
            "",
            *self.scope.config.exclude.value,
            "",
            str(self.scope.config_folder),
        )
        return read_baselines(
            named,
            self.scope.repository,
            self.scope.takes,
            "\0".join(paths),
            self.scope.cwd,
            tests=self.scope.tests,
        )

    # What is made of it.

    def _settled(self, found: Sequence[Finding], names: set[str]) -> list[Finding]:
        """The findings by the waivers and severities of the project."""
        from wirebook.rules.project import config

        path = self.scope.config_folder / self.scope.config.waivers.value
        result = list(found)
        text = self._waivers(path) if path.exists() or result else None
        if text is not None:
            from datetime import date

            from wirebook.rules.project import waivers

            name = os.path.relpath(os.path.realpath(path), os.path.realpath(self.scope.top)).replace(
                os.sep, "/"
            )
            accepted = self.scope.understood(path, text, partial(waivers.read_waivers, path=name))
            self.waivers = {name: text}
            result = waivers.apply(result, accepted, date.today(), names)
        elif self.scope.config.waivers.origin != config.DEFAULT and not path.exists():
            raise InputError("there is no such file of waivers", str(path))
        return config.apply(result, self.scope.config) if self.scope.config.severities else result

    def _waivers(self, path: Path) -> bytes | None:
        """The text of the file of waivers: where what is staged is judged, as it is staged."""
        if not self.scope.is_staged(path):
            return path.read_bytes() if path.exists() else None
        text = self.scope.staged(path)
        if text is None and path.exists():
            name = os.path.relpath(path, self.scope.cwd)
            self.scope.notices.append(
                f"{name} is not staged: what it accepts counts from the commit that it is in"
            )
        return text


def _ranges(side: _Read) -> dict[tuple[str, int | None], tuple[Versions, Versions]]:
    """What the request and the response of an API must have in common, by type and API key."""
    return {
        (message.type, message.api_key): (message.valid_versions, message.flexible_versions)
        for message in side.messages.values()
        if message.type in ("request", "response")
    }


def _unstable(side: _Read) -> set[tuple[str, int | str]]:
    """The messages whose newest version is marked unstable: without the mark, it is a new version."""
    return {message.identity for message in side.messages.values() if message.latest_version_unstable}


def _outlines(side: _Read) -> Counter[tuple[object, ...]]:
    """What rules on all specs together look at (see rules/sets)."""
    return Counter(
        (message.type, message.name, message.api_key, path.rpartition("/")[0])
        for path, message in side.messages.items()
    )


def _decoded(texts: Mapping[str, bytes], paths: Iterable[str]) -> dict[str, str]:
    """The texts that findings point into, as the reader counts their lines and columns."""
    wanted = {path for path in paths if path in texts}
    return {path: texts[path].decode("utf-8", "replace").removeprefix("\ufeff") for path in wanted}
