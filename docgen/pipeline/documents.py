"""The JSON documents of the catalog: one for each API or other message, made from its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from docgen.pipeline.order import Snapshot
from docgen.pipeline.rows import OTHER, part_of, unpack
from docgen.render.bnf import bnf
from rules.changes import layout_changes, match_fields
from specs.layout import Layout, LayoutField, layout
from specs.model import Field, HistoryEntry, Message
from specs.notes import purpose, version_notes
from specs.purposes import Purpose
from specs.reader import plain
from specs.registry import Registry
from specs.versions import Versions, ranges_text

Doc = dict[str, Any]

_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PARTS = ("request", "response", OTHER)
_FIELD_WORDS = {
    "nullable": "may be null from version {new}",
    "not_nullable": "may no longer be null",
    "tagged": "is a tagged field from version {new}",
    "untagged": "is no longer tagged",
    "default": "the default changes from {old} to {new}",
}


class Entry(NamedTuple):
    """That a snapshot holds a text, in one of its states."""

    ordinal: int
    digest: str
    path: str
    state: int


class Text(NamedTuple):
    """One distinct text of the subject: its message, packed, and the states it stood in."""

    digest: str
    model: bytes
    states: Sequence[tuple[Any, ...]]


class EventRow(NamedTuple):
    """A row of docgen.pipeline.lifecycle.events, without its subject."""

    kind: str
    part: str
    version: int
    path: str
    event: str
    ordinal: int
    old: str | None
    new: str | None
    first: bool
    branch: int | None
    kept: bool


@dataclass(frozen=True, slots=True)
class Context:
    """What all documents of one run share.

    `registry` is None where the protocol has no ApiVersions. `source` is the digest of each text of the
    SOURCE, whose `history` tells what the snapshots cannot; it is no snapshot itself in a history run.
    `purposes` are for messages of which no text says what they are for.
    """

    snapshots: tuple[Snapshot, ...]
    registry: Registry | None
    source_name: str
    source_texts: Mapping[str, str] = field(default_factory=dict)
    purposes: Mapping[tuple[str, str], Purpose] = field(default_factory=dict)


def slug_of(name: str) -> str:
    """The address of an API: "ListOffsets" is "list-offsets"."""
    parted = re.sub(r"[^A-Za-z0-9]+", "-", _CAPITALS.sub("-", name)).strip("-").lower()
    return parted or "unnamed"


def anchor_of(path: str) -> str:
    """A field's part of an anchor: "Topics.Partitions" is "topics-partitions"."""
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")


def build_document(
    slug: str,
    entries: Sequence[Entry],
    texts: Sequence[Text],
    events: Sequence[EventRow],
    context: Context,
) -> tuple[Doc, Doc]:
    """The document of one API or other message (wirebook/api/1) and its row of the index."""
    return _Builder(slug, entries, texts, events, context).build()


@dataclass(slots=True)
class _Version:
    """One version of one message: its layout where it is newest, and where else it stood."""

    main: Layout
    snapshot: str
    path: str
    others: dict[str, tuple[Layout, list[str]]]


class _Builder:
    def __init__(
        self,
        slug: str,
        entries: Sequence[Entry],
        texts: Sequence[Text],
        events: Sequence[EventRow],
        context: Context,
    ) -> None:
        self.slug = slug
        self.context = context
        self.entries = sorted(entries)
        self.texts = {text.digest: text for text in sorted(texts, key=lambda text: text.digest)}
        self.models: dict[str, Message] = {}
        self.layouts: dict[tuple[str, int], Layout] = {}
        self.events = sorted(
            events, key=lambda event: (event.ordinal, event.kind, event.version, event.path, event.event)
        )
        self.states = {
            (text.digest, number): (tuple(valid), tuple(deprecated), tuple(unstable))
            for text in texts
            for number, valid, deprecated, unstable, *_ in text.states
        }
        self.kept: dict[tuple[str, int], list[EventRow]] = {}
        # What a source alone has may have come at any time: there is nothing to tell.
        alone = len(context.snapshots) == 1 and context.snapshots[0].kind == "source"
        for event in self.events:
            if event.kept and not alone:
                self.kept.setdefault((event.kind, event.version), []).append(event)
        self.version_stories: dict[int, list[Doc]] = {}
        # By message identity, not name: a renamed message is the same one.
        self.by_part: dict[str, list[Entry]] = {}
        for entry in self.entries:
            self.by_part.setdefault(part_of(self.model(entry.digest)), []).append(entry)
        self.source = sorted(
            (self.model(digest) for digest in self.texts if digest in context.source_texts),
            key=lambda message: _PARTS.index(part_of(message)),
        )
        self.history = self._history()
        newest = self.entries[-1] if self.entries else None
        self.newest = self.model(newest.digest) if newest is not None else self.source[0]

    def model(self, digest: str) -> Message:
        made = self.models.get(digest)
        if made is None:
            made = self.models[digest] = unpack(self.texts[digest].model)
        return made

    def layout(self, digest: str, version: int) -> Layout:
        key = (digest, version)
        made = self.layouts.get(key)
        if made is None:
            made = self.layouts[key] = layout(self.model(digest), version)
        return made

    def _history(self) -> dict[int, HistoryEntry]:
        """What the SOURCE says of each version: the request's word before the response's."""
        found: dict[int, HistoryEntry] = {}
        for message in self.source:
            for entry in message.history:
                found.setdefault(entry.version, entry)
        return found

    def known_purpose(self, message: Message) -> str:
        kind = "api" if message.type in ("request", "response") else message.type
        known = self.context.purposes.get((kind, message.api))
        return known.about if known is not None and known.api_key == message.api_key else ""

    def build(self) -> tuple[Doc, Doc]:
        presence = self.presence()
        last = len(self.context.snapshots) - 1
        now = presence.get(last, ((), (), ()))
        gone = not now[0]
        live = [state for _, state in sorted(presence.items()) if state[0]]
        last_state = live[-1] if live else ((), (), ())
        stable = [version for version in last_state[0] if version not in last_state[2]]
        messages = [self.message(part) for part in self.parts()]
        versions = self.versions(now, messages)
        current = self.newest
        # What a comment says last is less of a purpose: errors, or that a request is gone.
        commented = next((text for part in self.parts() if (text := purpose(self.last_message(part)))), "")
        known = "\n\n".join(text for text in (self.known_purpose(current), commented) if text)
        purposes = [*(purpose(message) for message in self.source), known]
        listeners = list(
            dict.fromkeys(name for part in self.parts() for name in self.last_message(part).listeners)
        )
        kind = "api" if current.type in ("request", "response") else current.type
        names = list(dict.fromkeys(self.model(entry.digest).api for entry in reversed(self.entries)))
        lifecycle = {"events": self.api_events()}
        document: Doc = {
            "schema": "wirebook/api/1",
            "api": current.api,
            "slug": self.slug,
            "former_names": [name for name in names if name != current.api],
            "api_key": current.api_key,
            "kind": kind,
            "purpose": next((text for text in purposes if text), ""),
            "listeners": listeners,
            "gone": gone,
            "lifecycle": lifecycle,
            "newest_stable": stable[-1] if stable else None,
            "presence": [
                {
                    "snapshot": snapshot.name,
                    "versions": _text(state[0]),
                    "unstable": _text(state[2]),
                    "deprecated": _text(state[1]),
                }
                for snapshot in self.context.snapshots
                for state in (presence.get(snapshot.ordinal, ((), (), ())),)
            ],
            "versions": versions,
            "messages": messages,
        }
        flexible = sorted(version["version"] for version in versions if version["flexible"])
        index = {
            "slug": self.slug,
            "api": current.api,
            "former_names": document["former_names"],
            "api_key": current.api_key,
            "kind": kind,
            "purpose": document["purpose"],
            "versions": _text(now[0]),
            "all_versions": _text(version["version"] for version in versions),
            "newest_stable": document["newest_stable"],
            "unstable": _text(now[2]),
            "deprecated": _text(now[1]),
            "flexible": f"{flexible[0]}+" if flexible else "none",
            "lifecycle": lifecycle,
            "listeners": listeners,
            "gone": gone,
        }
        return document, index

    def parts(self) -> list[str]:
        known = set(self.by_part) | {part_of(message) for message in self.source}
        return sorted(known, key=_PARTS.index)

    def last_message(self, part: str) -> Message:
        entries = self.by_part.get(part)
        if entries:
            return self.model(entries[-1].digest)
        return next(message for message in self.source if part_of(message) == part)

    def presence(self) -> dict[int, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
        """By snapshot: the versions that are valid, deprecated and unstable in any of its messages."""
        sets: dict[int, tuple[set[int], set[int], set[int]]] = {}
        for entry in self.entries:
            mine = sets.setdefault(entry.ordinal, (set(), set(), set()))
            for known, more in zip(mine, self.states[entry.digest, entry.state], strict=True):
                known.update(more)
        return {
            ordinal: (tuple(sorted(valid)), tuple(sorted(deprecated)), tuple(sorted(unstable)))
            for ordinal, (valid, deprecated, unstable) in sets.items()
        }

    # -- events ---------------------------------------------------------------------------------

    def of(self, kind: str, version: int = -1) -> list[EventRow]:
        return self.kept.get((kind, version), [])

    def event(self, row: EventRow, words: str = "") -> Doc:
        made: Doc = {"event": row.event, "since": self.since(row.ordinal, row.first)}
        if row.branch is not None:
            name = self.context.snapshots[row.ordinal].name
            words = ". ".join(
                part for part in (words, f"only in {name} and what follows it on its own branch") if part
            )
        if words:
            made["words"] = words
        return made

    def since(self, ordinal: int, at_or_before: bool = False) -> Doc:
        snapshot = self.context.snapshots[ordinal]
        if snapshot.kind == "api_version":
            return _since(snapshot.name, snapshot.id, snapshot.release, at_or_before)
        if snapshot.kind == "source":
            return _since(None, None, None if at_or_before else snapshot.name, at_or_before)
        known = self.context.registry and self.context.registry.of_release(snapshot.name)
        if known:
            return _since(known.version, known.id, snapshot.name, at_or_before)
        return _since(None, None, snapshot.name, at_or_before)

    def told(self, value: str | None) -> Doc | None:
        """The moment that a `history` names, by its ApiVersion."""
        known = self.context.registry.by_version(value) if self.context.registry and value else None
        return _since(known.version, known.id, known.release, False) if known else None

    def version_events(self, version: int) -> list[Doc]:
        """The story of one version: what the snapshots show, with what its `history` knows better."""
        if version not in self.version_stories:
            self.version_stories[version] = self._version_events(version)
        return self.version_stories[version]

    def _version_events(self, version: int) -> list[Doc]:
        found = [self.event(row) for row in self.of("version", version=version)]
        entry = self.history.get(version)
        if entry is None:
            return found
        keys = ("added", "deprecated", "removed", "returned", "undeprecated")
        by_level = self.context.snapshots[0].kind == "api_version"
        words = {"added": entry.added, "deprecated": entry.deprecated, "undeprecated": entry.undeprecated,
                 "removed": entry.removed, "returned": entry.returned}  # fmt: skip
        for key in keys:
            told = self.told(words[key])
            if told is None:
                continue
            shown = next((event for event in found if event["event"] == key), None)
            back = next((event for event in found if event["event"] == "returned"), None)
            if shown is None:
                # A version that went and came back at one ApiVersion, in two releases, shows neither there.
                if self.before_first(told) or by_level:
                    found.append({"event": key, "since": told})
                elif key == "undeprecated" and back is not None:
                    # What comes back without its mark loses it in that moment; no two snapshots show that.
                    found.append({"event": key, "since": back["since"]})
            elif key == "added" and self.before_first(told):
                # Releases before the first one here may have written the version under another number.
                shown["since"] = told
            elif shown["since"]["at_or_before"] or self.same_line(told, shown["since"]):
                release = told["release"] if shown["since"]["at_or_before"] else shown["since"]["release"]
                shown["since"] = {**told, "release": release}

        def place(event: Doc) -> tuple[tuple[bool, int], int]:
            known = keys.index(event["event"]) if by_level and event["event"] in keys else 0
            return _when(event["since"]), known

        return sorted(found, key=place)

    def api_events(self) -> list[Doc]:
        """The story of the API: what its first snapshot has is as old as its lowest version that has it."""
        versions = [event.version for event in self.events if event.kind == "version"]
        lowest = min([*versions, *self.history], default=None)
        found: list[Doc] = []
        for row in self.of("api"):
            since = int(row.new) if row.event == "flexible" and row.new else lowest
            found += self.refined([self.event(row)], since)
        return found

    def before_first(self, told: Doc) -> bool:
        first = self.since(0)
        return (
            self.context.snapshots[0].kind == "release"
            and first["api_version_id"] is not None
            and told["api_version_id"] <= first["api_version_id"]
        )

    def same_line(self, told: Doc, shown: Doc) -> bool:
        registry = self.context.registry
        if registry is None or shown["release"] is None:
            return False
        ours, theirs = registry.of_release(told["release"]), registry.of_release(shown["release"])
        return ours is not None and ours == theirs

    def refined(self, events: list[Doc], lowest: int | None) -> list[Doc]:
        """A field that the first snapshot has is as old as the lowest version that has it."""
        if lowest is None:
            return events
        for event in events:
            if event["since"]["at_or_before"]:
                told = next((e for e in self.version_events(lowest) if e["event"] == "added"), None)
                if told is not None and not told["since"]["at_or_before"]:
                    event["since"] = told["since"]
        return events

    # -- versions -------------------------------------------------------------------------------

    def versions(
        self, now: tuple[Sequence[int], Sequence[int], Sequence[int]], messages: list[Doc]
    ) -> list[Doc]:
        numbers: set[int] = {int(version) for message in messages for version in message["versions"]}
        valid, deprecated, unstable = now
        made = []
        for version in sorted(numbers, reverse=True):
            state = "removed"
            if version in valid:
                state = (
                    "unstable"
                    if version in unstable
                    else "deprecated"
                    if version in deprecated
                    else "current"
                )
            notes = [
                note
                for message in messages
                if (shown := message["versions"].get(str(version))) is not None
                for note in shown["notes"]
            ]
            entry = self.history.get(version)
            made.append({
                "version": version,
                "flexible": any(
                    message["versions"][str(version)]["layout"]["flexible"]
                    for message in messages
                    if str(version) in message["versions"]
                ),
                "unstable": state == "unstable",
                "state": state,
                "events": self.version_events(version),
                "about": entry.about if entry is not None else "",
                "notes": list(dict.fromkeys(notes)),
            })  # fmt: skip
        return made

    # -- messages -------------------------------------------------------------------------------

    def message(self, part: str) -> Doc:
        newest = self.last_message(part)
        shown = self.message_versions(part)
        versions: dict[str, Doc] = {}
        before: Layout | None = None
        notes: dict[str, dict[int, list[str]]] = {}
        for version in sorted(shown):
            item = shown[version]
            main = item.main
            if main.message.path not in notes:
                notes[main.message.path] = version_notes(main.message)
            told = version_notes(main.message) if main.message is not newest else notes[main.message.path]
            versions[str(version)] = {
                "layout": main.to_json(),
                "header_version": main.header_version,
                "fingerprint": main.fingerprint,
                "bnf": bnf(main),
                "changes": []
                if before is None
                else [change.words() for change in layout_changes(before, main)],
                "notes": told.get(version, []),
                "from": {
                    "snapshot": item.snapshot,
                    "path": item.path,
                    "line": main.message.written.position.line,
                },
                "variants": [
                    {
                        "snapshots": names,
                        "fingerprint": fingerprint,
                        "changes": [change.words() for change in layout_changes(other, main)],
                    }
                    for fingerprint, (other, names) in item.others.items()
                ],
            }
            before = main
        ordered = {key: versions[key] for key in sorted(versions, key=int, reverse=True)}
        return {
            "name": newest.name,
            "type": newest.type,
            "versions": ordered,
            "fields": self.fields(part, shown),
            "tags": self.tags(part),
            "unknown_keys": plain(dict(newest.written.unknown)),
            "problems": [str(problem) for problem in newest.problems],
        }

    def message_versions(self, part: str) -> dict[int, _Version]:
        """Each version that any snapshot had, from the newest that has it; then what only SOURCE knows."""
        found: dict[int, _Version] = {}
        seen: dict[tuple[str, int], list[int]] = {}
        for entry in self.by_part.get(part, []):
            for version in self.states[entry.digest, entry.state][0]:
                seen.setdefault((entry.digest, version), []).append(entry.ordinal)
        paths = {entry.digest: entry.path for entry in self.by_part.get(part, [])}
        for (digest, version), ordinals in sorted(seen.items(), key=lambda item: (-item[1][-1], item[0])):
            laid_out = self.layout(digest, version)
            names = [self.context.snapshots[ordinal].name for ordinal in ordinals]
            item = found.get(version)
            if item is None:
                found[version] = _Version(laid_out, names[-1], paths[digest], {})
            elif laid_out.fingerprint != item.main.fingerprint:
                other = item.others.setdefault(laid_out.fingerprint, (laid_out, []))
                other[1].extend(names)
        order = {snapshot.name: snapshot.ordinal for snapshot in self.context.snapshots}
        for item in found.values():
            for _, names in item.others.values():
                names.sort(key=lambda name: order[name])
        for digest in sorted(self.texts.keys() & self.context.source_texts.keys()):
            message = self.model(digest)
            if part_of(message) != part:
                continue
            for version in message.valid_versions:
                # Not everything that SOURCE offers: what the snapshots could know, they know better.
                if version not in found and self.version_events(version):
                    found[version] = _Version(
                        self.layout(digest, version), self.context.source_name, message.path, {}
                    )
        return found

    # -- fields ---------------------------------------------------------------------------------

    def fields(self, part: str, shown: Mapping[int, _Version]) -> list[Doc]:
        """Every field that any snapshot had: those of the newest one in its order, then what has gone."""
        entries = self.by_part.get(part, [])
        last = len(self.context.snapshots) - 1
        known: dict[str, tuple[int, list[Field]]] = {}
        last_at: dict[str, tuple[str, int]] = {}
        digests: dict[tuple[str, int], int] = {}
        for entry in entries:
            digests[entry.digest, entry.state] = entry.ordinal
        for (digest, state), ordinal in sorted(digests.items(), key=lambda item: (-item[1], item[0])):
            message = self.model(digest)
            valid = self.states[digest, state][0]
            for path, written, scope in walk_fields(message):
                there = [v for v in valid if v in scope and any(v in one.present for one in written)]
                if path not in known and there:
                    known[path] = (ordinal, written)
                    last_at[path] = (digest, max(there))
        for digest in sorted(self.texts.keys() & self.context.source_texts.keys()):
            message = self.model(digest)
            if part_of(message) == part and not entries:
                for path, written, _ in walk_fields(message):
                    known.setdefault(path, (-1, written))
        rows: dict[str, list[EventRow]] = {}
        for event in self.of("field"):
            if event.part == part:
                rows.setdefault(event.path, []).append(event)
        renames = self.renames(part, rows)
        at: dict[str, LayoutField] = {}
        for version in sorted(shown):
            at |= {item.path: item for item in shown[version].main.walk()}
        made = []
        for path, (ordinal, written) in known.items():
            one = written[-1]
            laid_out = at.get(path) or self.laid_out(path, last_at.get(path))
            versions = _ranges(part.present for part in written)
            nullable = _ranges(part.nullable_versions & part.present for part in written)
            tagged = _ranges(part.tagged_versions & part.present for part in written)
            gone = ordinal != last
            lowest = min((part.present.lowest for part in written if part.present), default=None)
            story = [self.event(row, words) for row, words in self.told_of(path, rows, renames)]
            made.append({
                "path": path,
                "anchor": anchor_of(path),
                "former_names": self.former_names(path, renames),
                "type": laid_out.type if laid_out else None,
                "element": laid_out.element if laid_out else None,
                "spec_type": one.type,
                "versions": versions,
                "nullable_versions": nullable,
                "tag": one.tag,
                "tagged_versions": tagged,
                "default": laid_out.default if laid_out else plain(one.default),
                "ignorable": one.ignorable,
                "entity_type": one.entity_type,
                "map_key": one.map_key,
                "about": one.about,
                "notes": list(one.written.comments),
                "gone": gone,
                "last_seen": self.context.snapshots[ordinal].name if gone and ordinal >= 0 else None,
                "events": self.joined(part, path, self.refined(story, lowest)),
            })  # fmt: skip
        return made

    def joined(self, part: str, path: str, events: list[Doc]) -> list[Doc]:
        """A field that joined a version late is as old as its book says, and so are those inside it.

        Releases show by themselves when it came.
        """
        if self.context.snapshots[0].kind == "release":
            return events
        late = [
            version
            for message in self.source
            if part_of(message) == part
            for entry in message.history
            for name, version in entry.fields.items()
            if path == name or path.startswith(f"{name}.")
        ]
        for told in filter(None, map(self.told, late)):
            for event in events:
                if _when(event["since"]) < _when(told):
                    event["since"] = told
        return events

    def laid_out(self, path: str, where: tuple[str, int] | None) -> LayoutField | None:
        """A field that has gone, as the last text that had it laid it out."""
        if where is None:
            return None
        return next((item for item in self.layout(*where).walk() if item.path == path), None)

    def renames(self, part: str, rows: Mapping[str, list[EventRow]]) -> dict[str, tuple[int, str]]:
        """By path: the snapshot in which a field took over the place of another, and the path of that one.

        A name is not on the wire: what a client reads there is the same field.
        """
        gone = {row.ordinal for of_path in rows.values() for row in of_path if row.event == "removed"}
        came = {
            row.ordinal
            for of_path in rows.values()
            for row in of_path
            if row.event == "added" and not row.first and row.branch is None
        }
        held = {entry.ordinal: entry for entry in self.by_part.get(part, [])}
        found: dict[str, tuple[int, str]] = {}
        for ordinal in sorted(gone & came):
            before = self.context.snapshots[ordinal].predecessor
            if before is None or before not in held or ordinal not in held:
                continue
            old, new = held[before], held[ordinal]
            common = set(self.states[old.digest, old.state][0]) & set(self.states[new.digest, new.state][0])
            for version in sorted(common, reverse=True):
                pairs = _renamed(
                    self.layout(old.digest, version).fields, self.layout(new.digest, version).fields
                )
                for was, path in pairs:
                    if any(row.ordinal == ordinal and row.event == "added" for row in rows.get(path, [])):
                        found.setdefault(path, (ordinal, was))
        return found

    def told_of(
        self, path: str, rows: Mapping[str, list[EventRow]], renames: Mapping[str, tuple[int, str]]
    ) -> list[tuple[EventRow, str]]:
        """The events of a field with their words; a renamed one goes on with the story of its old name."""
        own = [(row, _words(row)) for row in rows.get(path, [])]
        later = {(ordinal, was): name for name, (ordinal, was) in renames.items()}
        for place, (row, _) in enumerate(own):
            if row.event == "removed" and (row.ordinal, path) in later:
                own[place] = (row, f"is called {later[row.ordinal, path]} from then on")
        renamed = renames.get(path)
        if renamed is None:
            return own
        ordinal, was = renamed
        before = [told for told in self.told_of(was, rows, renames) if told[0].ordinal < ordinal]
        known = {row.event for row, _ in before}
        after = []
        for row, words in own:
            if row.ordinal == ordinal and row.event == "added":
                after.append((row._replace(event="renamed"), f"was called {was} before"))
            elif row.ordinal != ordinal or row.event not in known:
                after.append((row, words))
        return before + after

    def former_names(self, path: str, renames: Mapping[str, tuple[int, str]]) -> list[str]:
        names: list[str] = []
        while path in renames and len(names) < len(renames):
            path = renames[path][1]
            names.append(path)
        return names

    def tags(self, part: str) -> list[Doc]:
        """Every tag that any snapshot gave out, with the burnt ones, which must never come again."""
        entries = self.by_part.get(part, [])
        last = len(self.context.snapshots) - 1
        newest = {entry.digest for entry in entries if entry.ordinal == last}
        found: dict[tuple[str, int, str], tuple[Field, bool]] = {}
        for digest in dict.fromkeys(entry.digest for entry in reversed(entries)):
            for path, written, _ in walk_fields(self.model(digest)):
                for one in written:
                    if one.tag is not None and one.tagged_versions:
                        struct, _, name = path.rpartition(".")
                        found.setdefault((struct, one.tag, name), (one, digest not in newest))
        rows: dict[str, list[EventRow]] = {}
        for event in self.of("field"):
            if event.part == part:
                rows.setdefault(event.path, []).append(event)
        now = {was: path for path, (_, was) in self.renames(part, rows).items()}
        in_use = {(struct, tag) for (struct, tag, _), (_, burnt) in found.items() if not burnt}
        made: list[Doc] = []
        for (struct, tag, name), (one, burnt) in sorted(found.items(), key=lambda item: item[0]):
            if burnt and (_follow(now, struct), tag) in in_use:
                # The same tag of the same struct under an older name of either.
                continue
            made.append({
                "struct": struct or "(top level)",
                "tag": tag,
                "field": name,
                "type": one.type,
                "versions": str(one.tagged_versions),
                "burnt": burnt,
            })  # fmt: skip
        return made


def walk_fields(message: Message) -> Iterator[tuple[str, list[Field], Versions]]:
    """The fields of all versions by path, at every depth, as written; twice-named ones stand together.

    With each comes the range in which the struct that holds it is on the wire at all.
    """
    structs = {struct.name: struct.fields for struct in message.common_structs}

    def walk(
        fields: Sequence[Field], above: str, within: tuple[str, ...], scope: Versions
    ) -> Iterator[tuple[str, list[Field], Versions]]:
        named: dict[str, list[Field]] = {}
        for one in fields:
            named.setdefault(one.name, []).append(one)
        for name, same in named.items():
            path = f"{above}.{name}" if above else name
            yield path, same, scope
            for one in same:
                inner = one.fields or structs.get(one.element, ())
                if inner and one.element not in within:
                    yield from walk(inner, path, (*within, one.element), scope & one.present)

    yield from walk(message.fields, "", (), Versions.ALL)


def _follow(now: Mapping[str, str], path: str) -> str:
    """What a path is called today, after every renaming; a circle of names ends where it began."""
    seen = {path}
    while path in now and now[path] not in seen:
        path = now[path]
        seen.add(path)
    return path


def _renamed(old: tuple[LayoutField, ...], new: tuple[LayoutField, ...]) -> Iterator[tuple[str, str]]:
    """The paths, old and new, of fields that are the same under another name, at every depth."""
    for before, after in match_fields(old, new):
        if before is None or after is None:
            continue
        if before.path != after.path:
            yield before.path, after.path
        if before.fields is not None and after.fields is not None:
            yield from _renamed(before.fields, after.fields)


def _since(version: str | None, number: int | None, release: str | None, at_or_before: bool) -> Doc:
    return {
        "api_version": version,
        "api_version_id": number,
        "release": release,
        "at_or_before": at_or_before,
    }


def _when(since: Doc) -> tuple[bool, int]:
    number = since["api_version_id"]
    return (number is None, number or 0)


def _words(row: EventRow) -> str:
    template = _FIELD_WORDS.get(row.event)
    return template.format(old=row.old, new=row.new) if template else ""


def _text(numbers: Sequence[int] | Iterator[int]) -> str:
    return ranges_text(Versions.of(numbers))


def _ranges(parts: Iterator[Versions]) -> str:
    return ranges_text(dict.fromkeys(part for part in parts if part))
