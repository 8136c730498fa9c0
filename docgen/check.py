"""`wirebook check`: two sides in, findings out, in any format; an exit code that a gate can rely on."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from docgen import exits
from rules.config import Config, find_configs, load_config, read_config
from rules.engine import CUSTOMS, check
from rules.finding import Finding
from rules.report import Report
from specs.found import REGISTRY, candidate, is_spec, place_of
from specs.model import Message, Protocol
from specs.problems import InputError
from specs.reader import read_message
from specs.revisions import (
    Comparison,
    Repository,
    Side,
    compare_range,
    compare_staged,
    compare_working,
    differing,
    find_repository,
    is_range,
    new_side,
    texts_side,
)

if TYPE_CHECKING:
    from docgen.baselines import Baselines
    from rules.released import Released
    from specs.registry import Registry
    from specs.sources import Source
    from specs.versions import Versions

Understood = TypeVar("Understood")


def run_check(options: argparse.Namespace, version: str, cwd: Path | None = None) -> int:
    """Run the command; returns its exit code. Raises InputError for what stops it at once, OSError."""
    with ExitStack() as stack:
        job = _Job(options, version, cwd or Path.cwd(), stack)
        if options.show_config:
            print(job.config.show(), end="")
            return exits.CLEAN
        report = job.report()
    if options.waive is not None:
        return _print_waivers(report, options.waive)
    _write(report, options)
    if report.unchecked:
        return exits.UNUSABLE
    return exits.FINDINGS if report.failed else exits.CLEAN


class Judged(NamedTuple):
    """A report, and the messages that it is about: on the old side (None where there is none), on the new,
    and the registries of ApiVersions of both, where these were looked at.
    """

    report: Report
    old: Protocol | None
    new: Protocol
    registries: tuple[Registry | None, Registry | None]


def judge(options: argparse.Namespace, version: str, cwd: Path | None = None) -> Judged:
    """Check as the options of `wirebook check` say, and print nothing. Raises as `run_check`."""
    with ExitStack() as stack:
        return _Job(options, version, cwd or Path.cwd(), stack).judged()


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

    def __init__(self, options: argparse.Namespace, version: str, cwd: Path, stack: ExitStack) -> None:
        self.options = options
        self.version = version
        self.cwd = cwd
        if (options.old is None) != (options.new is None):
            raise InputError("--old and --new belong together: the two sides")
        if options.old is not None and (options.staged or options.against or options.files):
            raise InputError("--old and --new name both sides: there is no place for another")
        self.notices: list[str] = []
        self.repository: Repository | None = None
        if options.staged:
            self.repository = self._opened(stack)
        path, config = self._configuration()
        if path is not None:
            config = config.seen_from(cwd.resolve(), path.resolve().parent)
        self.config: Config = config.override(
            released=tuple(options.released) if options.released else None,
            against=options.against,
            branch=options.branch,
        )
        if not options.staged and (options.old is None or self.config.released.value):
            self.repository = self._opened(stack)
        # The top of the paths of the sides: files outside git are named from where one stands.
        self.top = cwd if self.repository is None or self.repository.top is None else self.repository.top
        # Without a configuration, its place is where it would be looked for last.
        self.config_folder = self.top if path is None else path.resolve().parent
        self.names = set(self._named())
        self.registries: tuple[Registry | None, Registry | None] = (None, None)
        self.waivers: dict[str, bytes] = {}
        self._alike: Side | None = None

    def _opened(self, stack: ExitStack) -> Repository | None:
        repository = find_repository(self.cwd, index=self.options.staged)
        if repository is not None:
            stack.callback(repository.close)
        return repository

    def _configuration(self) -> tuple[Path | None, Config]:
        """The configuration and its file: one that is found is read as all else is, the staged one where
        what is staged is judged.
        """
        named: Path | None = self.options.config
        for path in find_configs(self.cwd) if named is None else [named]:
            name = os.path.relpath(path, self.cwd)
            if named is not None or not self._is_staged(path):
                return path, load_config(path, name)
            text = self._staged(path)
            if text is not None:
                return path, self._understood(path, text, partial(read_config, path=name))
            self.notices.append(f"{name} is not staged: it counts from the commit that it is in")
        return None, Config()

    def report(self) -> Report:
        """Read both sides, judge what differs, and apply waivers and configuration."""
        return self.judged().report

    def judged(self) -> Judged:
        """As `report`, with what was compared."""
        sides = self._sides()
        released = self._released()
        old, new, found, words = self._judge(sides, released)
        unread = [*(sides.old.unread if sides.old else ()), *sides.new.unread, *old.unread, *new.unread]
        unread += released.unread if released else ()
        names = {message.name for message in (*new.judged, *old.judged) if self._wants(message.path)}
        findings = self._settled(found, names)
        baselines = f"; released: {released.words}" if released else ""
        made = Report(
            findings=tuple(findings),
            compared=f"{sides.words}{baselines}{words}",
            tool_version=self.version,
            messages_checked=len(names),
            new_texts=_decoded(
                {**new.texts, **self.waivers}, (item.location.path for item in findings if item.location)
            ),
            old_texts=_decoded(old.texts, (item.previous.path for item in findings if item.previous)),
            notices=(*sides.notices, *(released.notices if released else ()), *self.notices),
            unchecked=tuple(dict.fromkeys(unread)),
            command=self._command() if findings else "wirebook check",
        )
        before = None if sides.old is None else Protocol.of(old.judged)
        return Judged(made, before, Protocol.of(new.judged), self.registries)

    # The two sides.

    def _sides(self) -> Comparison:
        sides = self._comparison()
        return sides._replace(old=sides.old and self._taken(sides.old), new=self._taken(sides.new))

    def _comparison(self) -> Comparison:
        options, repository, against = self.options, self.repository, self.config.against.value
        if options.old is not None:
            old, new = self._source(options.old), self._source(options.new)
            return Comparison(f"{new.description} against {old.description}", _side(old), _side(new))
        if repository is None:
            return self._without_git(against)
        if against is not None and is_range(against):
            if options.staged:
                raise InputError("--staged judges the index: a range of commits names another new side")
            return compare_range(repository, against)
        if against is not None and self._is_outside(against):
            outside = self._source(against)
            what, new_files = new_side(repository, self.cwd, staged=options.staged)
            old_files, new_files = _aligned(outside, new_files, self.cwd)
            return Comparison(f"{what} against {outside.description}", old_files, new_files)
        if options.staged:
            return compare_staged(repository, self.cwd, against or "HEAD")
        return compare_working(repository, self.cwd, against, self.config.branch.value)

    def _is_outside(self, against: str) -> bool:
        """Whether a SOURCE is no plain ref of this repository."""
        return (self.cwd / against).exists() or ":" in against or "@" in against.replace("@{", "").strip("@")

    def _without_git(self, against: str | None) -> Comparison:
        if self.options.staged:
            raise InputError("--staged needs a git repository, and this is none", str(self.cwd))
        new = self._files() if self.options.files else _side(self._source("."))
        if against is not None:
            outside = self._source(against)
            return Comparison(f"the files here against {outside.description}", _side(outside), new)
        words = "the files by themselves, by the rules on single files: this is no git repository"
        return Comparison(words, None, new)

    def _files(self) -> Side:
        """The files and folders that are named, as they are called."""
        texts: dict[str, tuple[str, str, bytes]] = {}
        for name in self.options.files:
            plain = self._from_top(name)
            folder = (self.cwd / name).is_dir()
            for text in self._source(name).texts():
                path = os.path.normpath(f"{plain}/{text.path}").replace(os.sep, "/") if folder else plain
                texts[path] = (path, text.digest, text.text)
        return texts_side(texts.values())

    def _source(self, name: str) -> Source:
        from specs.sources import open_source

        return open_source(name, tests=self._tests, cwd=self.cwd)

    # Which files count.

    @property
    def _tests(self) -> bool:
        """Whether specs of test trees count: where somebody has said which paths do."""
        return bool(self.config.paths.value or self.options.files)

    def _takes(self, path: str) -> bool:
        """Whether a file, by its path from the top, counts."""
        if not (candidate(path, tests=self._tests) or path in self.names):
            return False
        if not (self.config.paths.value or self.config.exclude.value):
            return True
        shown = os.path.relpath(self.top / path, self.config_folder).replace(os.sep, "/")
        if path.rpartition("/")[2] == REGISTRY:
            # It lies beside the specs that `paths` names.
            return not self.config.excludes(shown)
        return self.config.takes(shown)

    def _taken(self, side: Side) -> Side:
        return side._replace(files={path: name for path, name in side.files.items() if self._takes(path)})

    def _named(self) -> Iterator[str]:
        """FILES, as paths from the top."""
        for name in self.options.files:
            told = self._from_top(name)
            yield "" if told == "." else told

    def _from_top(self, name: str) -> str:
        folder, last = os.path.split(os.path.join(self.cwd, name))
        if last in ("", os.curdir, os.pardir):
            folder, last = os.path.join(folder, last), ""
        where = os.path.join(os.path.realpath(folder), last)
        return os.path.relpath(where, os.path.realpath(self.top)).replace(os.sep, "/")

    def _wants(self, path: str) -> bool:
        """Whether a file is among FILES, or none is named."""
        if not self.names or path in self.names or "" in self.names:
            return True
        return any(path.startswith(f"{name}/") for name in self.names)

    # What is judged.

    def _judge(
        self, sides: Comparison, released: Baselines | None
    ) -> tuple[_Read, _Read, list[Finding], str]:
        """What was read of both sides, the findings, and words on how much differs."""
        everything = self.options.all
        given: Released | tuple[()] = () if released is None else released.released
        if sides.old is None:
            new = self._read(sides.new, [path for path in sides.new.files if self._wants(path)])
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
                both = self._beside(sides, old, new, context[0], paths)
                found = judge(both[0].protocol, both[1].protocol, given, together=False)
            old, new = both
        if self.names:
            places = [(item, item.location or item.previous) for item in found]
            found = [item for item, place in places if place is not None and self._wants(place.path)]
        return old, new, found, words

    def _words(self, sides: Comparison, old: _Read, new: _Read) -> str:
        """How much differs; raises InputError where there is nothing that could."""
        differ = {path for side in (old, new) for path in (*side.texts, *side.messages) if self._wants(path)}
        if not differ and not old.unread and not new.unread and not sides.new.unread:
            rest = self._rest(sides)
            if self.names:
                self._all_there(sides, rest)
            elif not self._some_spec(rest) and not self._some_spec(sides.new):
                raise InputError(f"there are no message specs to check: {sides.words}")
        return f": {len(differ)} {'spec differs' if len(differ) == 1 else 'specs differ'}"

    def _named_alike(self, sides: Comparison, old: _Read, new: _Read) -> list[str]:
        """Why files that are named, and that both sides have alike, cannot be read: who asks for a file is
        told of it.
        """
        known = {*old.texts, *new.texts, *old.broken, *new.broken, ""}
        if self.names <= known:
            return []
        rest = self._rest(sides)
        return self._read(rest, sorted((self.names - known) & rest.files.keys())).unread

    def _rest(self, sides: Comparison) -> Side:
        """What both sides have alike."""
        if sides.rest is not None:
            if self._alike is None:
                self._alike = self._taken(sides.rest())
            return self._alike
        before = {} if sides.old is None else sides.old.files
        same = {path: name for path, name in sides.new.files.items() if before.get(path) == name}
        return sides.new._replace(files=same)

    def _some_spec(self, side: Side) -> bool:
        paths = sorted(side.files, key=place_of, reverse=True)
        for start in range(0, len(paths), 50):
            read = side.read(paths[start : start + 50])
            if any(
                isinstance(text, InputError) or is_spec(text, place_of(path)) for path, text in read.items()
            ):
                return True
        return False

    def _all_there(self, sides: Comparison, rest: Side) -> None:
        known = [*rest.files, *sides.new.files, *(sides.old.files if sides.old else ())]
        for name in self.names:
            if not any(path == name or path.startswith(f"{name}/") or not name for path in known):
                raise InputError(self._absence(name), name)

    def _absence(self, name: str) -> str:
        """Why there is no spec of a name, which begins at the top, on either side."""
        if name.startswith("../") and self.repository is not None:
            return "this lies outside of the repository: name two sources by --old and --new"
        parts = name.split("/")
        folders = ["/".join(parts[: number + 1]) for number in range(len(parts))]
        inner = next((folder for folder in folders if (self.top / folder / ".git").exists()), None)
        if self.repository is not None and inner is not None:
            return f"{inner} is another repository: check it from there"
        return "there is no such spec on either side"

    def _context(
        self, sides: Comparison, old: _Read, found: Sequence[Finding]
    ) -> tuple[Side, Iterable[str]] | None:
        """What both sides have alike, and the files of it on which it depends how bad the findings are."""
        if any(item.rule in CUSTOMS for item in found):
            rest = self._rest(sides)
            return rest, rest.files
        known = {message.api_key for message in old.messages.values() if message.type == "request"}
        wanted = {item.api_key for item in found if item.message_type == "response"} - known
        if not wanted:
            return None
        # Kafka marks the request alone as unstable.
        rest = self._rest(sides)
        paths = self._partners(rest, old.messages, {("request", key) for key in wanted})
        partners = self._read(rest, paths).messages.values()
        return (rest, paths) if any(message.latest_version_unstable for message in partners) else None

    def _halves(self, sides: Comparison, old: _Read, new: _Read) -> tuple[Side, Iterable[str]] | None:
        """What both sides have alike, and the files of it that hold the other half of an API whose versions
        change.
        """
        before, after = _ranges(old), _ranges(new)
        changed = {identity for identity, ranges in after.items() if before.get(identity) != ranges}
        others = {("response" if kind == "request" else "request", key) for kind, key in changed}
        if not others - after.keys():
            return None
        rest = self._rest(sides)
        return rest, self._partners(rest, new.messages, others - after.keys())

    def _partners(
        self, rest: Side, paths: Iterable[str], wanted: set[tuple[str, int | None]]
    ) -> Iterable[str]:
        """The files that hold requests and responses of some API keys: known by what the other half of the
        API is called, or else all there are.
        """
        swapped = {"Request.json": "Response.json", "Response.json": "Request.json"}
        near = [
            path.removesuffix(ending) + other
            for path in paths
            for ending, other in swapped.items()
            if path.endswith(ending)
        ]
        found = self._read(rest, [path for path in near if path in rest.files]).messages.values()
        if wanted <= {(message.type, message.api_key) for message in found}:
            return [message.path for message in found]
        return rest.files

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
        from specs.registry import read_registry, registry_places

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
        if self.repository is None or self.repository.top is None:
            return True
        return any((self.top / place).exists() for place in places)

    def _beside(
        self, sides: Comparison, old: _Read, new: _Read, rest: Side, paths: Iterable[str]
    ) -> tuple[_Read, _Read]:
        """Both sides with files that they have alike; what of these cannot be read is no matter of this
        change.
        """
        same = self._read(rest, paths)
        unread = same.unread if self.options.all else []
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
        if self.options.all:
            after.context = set()
        return before, after

    def _read(
        self,
        side: Side,
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
            meant = (path in self.names and path.rpartition("/")[2] != REGISTRY) or path in (older or ())
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
        named = self.config.released.value
        if not named:
            return None
        from docgen.baselines import read_baselines

        paths = (*self.config.paths.value, "", *self.config.exclude.value, "", str(self.config_folder))
        return read_baselines(
            named, self.repository, self._takes, "\0".join(paths), self.cwd, tests=self._tests
        )

    # What is made of it.

    def _settled(self, found: Sequence[Finding], names: set[str]) -> list[Finding]:
        """The findings by the waivers and severities of the project."""
        from rules import config

        path = self.config_folder / self.config.waivers.value
        result = list(found)
        text = self._waivers(path) if path.exists() or result else None
        if text is not None:
            from datetime import date

            from rules import waivers

            name = os.path.relpath(os.path.realpath(path), os.path.realpath(self.top)).replace(os.sep, "/")
            accepted = self._understood(path, text, partial(waivers.read_waivers, path=name))
            self.waivers = {name: text}
            result = waivers.apply(result, accepted, date.today(), names)
        elif self.config.waivers.origin != config.DEFAULT and not path.exists():
            raise InputError("there is no such file of waivers", str(path))
        return config.apply(result, self.config) if self.config.severities else result

    def _waivers(self, path: Path) -> bytes | None:
        """The text of the file of waivers: where what is staged is judged, as it is staged."""
        if not self._is_staged(path):
            return path.read_bytes() if path.exists() else None
        text = self._staged(path)
        if text is None and path.exists():
            name = os.path.relpath(path, self.cwd)
            self.notices.append(f"{name} is not staged: what it accepts counts from the commit that it is in")
        return text

    def _understood(self, path: Path, text: bytes, read: Callable[[bytes], Understood]) -> Understood:
        """What the text of a file says; who has mended the file and not what is staged of it is told so."""
        try:
            return read(text)
        except InputError as error:
            if not self._is_staged(path) or (path.is_file() and path.read_bytes() == text):
                raise
            told = f"{error.message} (this is what is staged: git add {os.path.relpath(path, self.cwd)})"
            raise InputError(told, error.path, error.position) from None

    def _is_staged(self, path: Path) -> bool:
        """Whether what is staged is judged, and a file is a matter of the same index."""
        return self._in_index(path) is not None

    def _in_index(self, path: Path) -> str | None:
        """What a file is called in the index, if that is what is judged."""
        if not self.options.staged or self.repository is None or self.repository.top is None:
            return None
        told = os.path.relpath(os.path.realpath(path), os.path.realpath(self.repository.top))
        return None if told.startswith(os.pardir) else told.replace(os.sep, "/")

    def _staged(self, path: Path) -> bytes | None:
        """The text of a file as it is staged; None where it is not."""
        assert self.repository is not None
        staged = self.repository.git.names([f":{self._in_index(path)}"])
        for _, text in self.repository.git.texts(staged.values()):
            if isinstance(text, InputError):
                raise text
            return text
        return None

    def _command(self) -> str:
        """The command as it was called, less what says where and how to print."""
        import shlex

        parts = ["wirebook", "check"]
        for name in ("against", "old", "new", "branch", "config"):
            value = getattr(self.options, name)
            parts += [f"--{name}", str(value)] if value is not None else []
        parts += [part for name in self.options.released or () for part in ("--released", name)]
        parts += ["--staged"] if self.options.staged else []
        parts += ["--all"] if self.options.all else []
        return shlex.join([*parts, *self.options.files])


def _side(source: Source) -> Side:
    from specs.registries import registry_text

    texts = source.texts()
    registry = registry_text(source, [text.path for text in texts])
    if registry is not None:
        texts.append(registry)
    return texts_side((text.path, text.digest, text.text) for text in texts)


def _aligned(outside: Source, new: Side, cwd: Path) -> tuple[Side, Side]:
    """Both sides by the same paths: a folder of this repository at another commit keeps its place."""
    old = _side(outside)
    inside = outside.subdir.strip("/") if outside.kind == "git" and outside.path == str(cwd) else ""
    if not inside:
        return old, new
    start = len(inside) + 1
    moved = Side(
        {f"{inside}/{path}": name for path, name in old.files.items()},
        lambda paths: {
            f"{inside}/{path}": text for path, text in old.read(path[start:] for path in paths).items()
        },
    )
    below = {path: name for path, name in new.files.items() if path.startswith(f"{inside}/")}
    return moved, new._replace(files=below)


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


def _write(report: Report, options: argparse.Namespace) -> None:
    from docgen.emit import emit
    from rules.formats import render

    if options.output is None:
        from docgen.colour import wanted

        colour = options.format == "text" and wanted(sys.stdout, os.environ)
        emit(render(report, options.format, colour=colour))
        return
    emit(render(report, options.format), options.output)
    from rules.report import counts

    print(f"wirebook: {counts(report)}; written to {options.output}", file=sys.stderr)


def _print_waivers(report: Report, wanted: str) -> int:
    """Print the entry of waivers.toml for one finding, or for every one that is an error."""
    from rules.waivers import block

    pairs = zip(report.ordered, report.fingerprints, strict=True)
    open_ones = [(item, mark) for item, mark in pairs if item.waived is None and item.waivable]
    chosen = [item for item, mark in open_ones if wanted and mark.startswith(wanted)]
    if not wanted:
        chosen = [item for item, _ in open_ones if item.severity == "error"]
    if not chosen:
        what = f"no finding has the fingerprint {wanted}" if wanted else "there is no error to waive"
        raise InputError(f"{what}; {report.compared}")
    # Two findings that nothing tells apart take one waiver.
    print("\n".join(dict.fromkeys(map(block, chosen))), end="")
    return exits.UNUSABLE if report.unchecked else exits.CLEAN
