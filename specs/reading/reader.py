"""Reads the text of a spec into the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from wirebook.specs.limits import MAX_INT16, MAX_LAID_OUT, MAX_STRUCT_DEPTH
from wirebook.specs.model import STANDING, Field, HeaderRange, HistoryEntry, Json, Message, Protocol, Struct
from wirebook.specs.problems import InputError, Problem, ProblemKind
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reading.discovery import SpecText, split_imports
from wirebook.specs.reading.values import Values, number_from
from wirebook.specs.syntax.jsontext import ImportedPositions, JsonDocument, JsonMembers, parse_json
from wirebook.specs.syntax.quickjson import read_quickly
from wirebook.specs.versions import Versions

if TYPE_CHECKING:
    from wirebook.specs.reading.imports import ImportedText

MESSAGE_KEYS = frozenset((
    "$schema", "apiKey", "type", "listeners", "name", "validVersions", "deprecatedVersions",
    "flexibleVersions", "headerVersions", "latestVersionUnstable", "about", "imports", "commonStructs",
    "fields", "history",
))  # fmt: skip
FIELD_KEYS = frozenset((
    "name", "type", "versions", "nullableVersions", "taggedVersions", "flexibleVersions", "tag", "default",
    "ignorable", "mapKey", "zeroCopy", "entityType", "about", "fields", "values", "flags",
))  # fmt: skip
# Kafka's generator does not know these, so a protocol of its family has none of them.
_FAMILY_KEYS = MESSAGE_KEYS - {"about", "imports"}
_FAMILY_FIELD_KEYS = FIELD_KEYS - {"values", "flags"}
_FAMILY_STRUCT_KEYS = frozenset(("name", "versions", "deprecatedVersions", "fields"))
STRUCTS_KEYS = frozenset(("$schema", "type", "about", "imports", "commonStructs"))
STRUCT_KEYS = frozenset(("name", "versions", "deprecatedVersions", "about", "fields"))
HISTORY_KEYS = frozenset(("version", *STANDING, "fields", "about"))
# Without these, no message, struct, field or history entry can be built.
REQUIRED_KEYS = frozenset(("name", "type", "validVersions", "versions", "version"))


def read_message(text: str | bytes, path: str, *, strict: bool = True, profile: Profile = NEUTRAL) -> Message:
    """Read one spec file of a protocol.

    Loose or invalid parts that the model can represent are listed in `Message.problems`, in text order.
    What the spec imports is at the end of the text (see `imports.py`). Raises InputError, with line and
    column, for broken JSON, for a text that is not a message spec, for imports that are missing or wrong,
    for input above the limits of `specs/limits.py`, and, unless `strict` is false, for the first value that
    the model cannot represent.
    """
    appended = None
    if isinstance(text, bytes):
        text, appended = split_imports(text)
    document = document_of(text, path)
    if not isinstance(document.value, JsonMembers):
        raise InputError(
            "a message spec must be a JSON object", path, document.lines.position(document.offset)
        )
    reader = _Reader(path, document.lines)
    reader.profile = profile
    reader.appended = appended
    if document.byte_order_mark:
        reader.report(ProblemKind.BYTE_ORDER_MARK, "warning", "the text begins with a byte-order mark", 0, "")
    rest = document.rest
    if appended is not None and not document.value.get("imports"):
        # Nothing is imported: what looks like it is part of the file.
        rest = len(document.lines.text) if rest is None else rest
    if rest is not None:
        reader.report(
            ProblemKind.TRAILING_TEXT, "warning", "there is text after the end of the spec", rest, ""
        )
    message = reader.message(document.value, document.header)
    if message.common_structs or not _is_small(message, document.value):
        from wirebook.specs.reading.size import refuse_too_large

        refuse_too_large(message)
    if strict:
        for problem in message.problems:
            if problem.severity == "unusable":
                raise InputError(problem.message, path, problem.position)
    return message


def read_protocol(texts: Iterable[SpecText], name: str = "", profile: Profile = NEUTRAL) -> Protocol:
    """Read all specs of a snapshot. Raises InputError, also if two files define the same message."""
    return protocol_of((read_message(text.text, text.path, profile=profile) for text in texts), name)


def protocol_of(read: Iterable[Message], name: str = "") -> Protocol:
    """Build a snapshot from messages. Raises InputError if two of them are the same message."""
    messages = list(read)
    by_identity: dict[tuple[str, int | str], Message] = {}
    for message in messages:
        other = by_identity.setdefault(message.identity, message)
        if other is not message:
            what = f"{message.type} with API key {message.api_key}"
            if message.identity[1] == message.name:
                what = f"{message.type} named {message.name}"
            raise InputError(
                f"{message.name} is the second {what}; the first is {other.name} in {other.path}",
                message.path,
                message.written.at("name"),
            )
    return Protocol.of(messages, name)


def document_of(text: str | bytes, path: str) -> JsonDocument:
    """Parse the JSON of a spec with comments, using the faster parser if possible. Raises InputError."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            return parse_json(text, path)
    return read_quickly(text) or parse_json(text, path)


def _is_small(message: Message, top: JsonMembers) -> bool:
    """Whether the number of objects in the text keeps a message without common structs below all limits."""
    # Objects are numbered in the order in which they end, so the outermost is last.
    most = top.number + 1
    return most <= MAX_STRUCT_DEPTH and most * len(message.valid_versions) <= MAX_LAID_OUT


class _Reader(Values):
    """Builds the model from nodes."""

    profile: Profile = NEUTRAL
    appended: bytes | None = None
    files: Sequence[str] = ()
    valid: Versions = Versions.ALL
    lists_values = False

    def message(self, node: JsonMembers, header: tuple[str, ...]) -> Message:
        if "name" not in node and "validVersions" not in node and "fields" not in node:
            raise InputError(
                'this is not a message spec: it has neither "name", "validVersions" nor "fields"',
                self.path,
                self.lines.position(self.lines.object(node.number).offset),
            )
        return Message(
            name=self.required(node, "name", "message"),
            type=self.required(node, "type", "message"),
            valid_versions=(valid := self.required_range(node, "validVersions", "message")),
            written=self.written(node, _FAMILY_KEYS if self.profile.family else MESSAGE_KEYS, "message"),
            api_key=self.number(node, "apiKey", MAX_INT16),
            flexible_versions=self.range(node, "flexibleVersions"),
            deprecated_versions=self.range(node, "deprecatedVersions"),
            header_versions=self.headers(node),
            listeners=self.words(node, "listeners"),
            latest_version_unstable=self.flag(node, "latestVersionUnstable"),
            fields=(fields := self._within(valid).objects(node, "fields", "field", self.field)),
            common_structs=self.common_structs(node, fields),
            history=self.objects(node, "history", "history entry", self.history),
            path=self.path,
            header=header,
            purpose=self.text(node, "about"),
            profile=self.profile,
            imports=tuple(self.files),
            lists_values=self.lists_values,
            # Last, because the code above reports them.
            problems=self.in_order(),
        )

    def _within(self, valid: Versions) -> _Reader:
        """The reader, from now on of fields of these versions; of all if they are unknown."""
        self.valid = valid or Versions.ALL
        return self

    def in_order(self) -> tuple[Problem, ...]:
        """The problems in text order; those of imported files come last."""
        return tuple(problem for _, problem in sorted(self.problems, key=lambda pair: pair[0]))

    def common_structs(self, node: JsonMembers, fields: tuple[Field, ...]) -> tuple[Struct, ...]:
        """The structs of `commonStructs`, then those of the files that `imports` names."""
        own = self.objects(node, "commonStructs", "struct", self.struct)
        # What a family does not have is reported, and read all the same: a change of the profile, which may
        # be the same patch, does not make structs disappear.
        if "imports" not in node or (self.appended is None and self.profile.family):
            return own
        at = self.at(node, "imports")
        if not self.words(node, "imports"):
            return own
        if self.appended is None:
            words = "what this spec imports was not read with it: read the folder or the revision that has it"
            raise InputError(words, self.path, self.lines.position(at))
        # Few protocols have imports.
        from wirebook.specs.reading.imports import imported_texts

        texts = imported_texts(self.appended, self.path)
        self.files = [each.path for each in texts]
        imported = self.imported(texts, node.number + 1)
        paths = {struct.name: struct.path for struct in imported}
        for name, written in (
            *((struct.name, struct.written.at("name")) for struct in own),
            *((field.element, field.written.at("type")) for field in _defining(fields)),
        ):
            if name in paths:
                words = f"the struct {name} is defined here and in {paths[name]}, which this spec imports"
                raise InputError(words, self.path, written)
        return (*own, *imported)

    def imported(self, texts: Iterable[ImportedText], base: int) -> tuple[Struct, ...]:
        """The structs of imported files; `base` is the lowest number for their objects."""
        from wirebook.specs.reading.imports import structs_document

        imported: list[Struct] = []
        # Problems are sorted by offset: those of imported files come last.
        behind = len(self.lines.text)
        for path, text in texts:
            document = structs_document(text, path)
            reader = _Reader(path, ImportedPositions(document.lines.text, path, base))
            reader.profile = self.profile
            assert isinstance(document.value, JsonMembers)
            count = document.value.number + 1
            number_from(document.value, base)
            imported += (struct._replace(path=path) for struct in reader.structs(document))
            self.problems += ((behind + offset, problem) for offset, problem in reader.problems)
            self.lists_values |= reader.lists_values
            base, behind = base + count, behind + len(text)
        return tuple(imported)

    def structs(self, document: JsonDocument) -> tuple[Struct, ...]:
        """The structs that a file of structs defines."""
        assert isinstance(document.value, JsonMembers)
        self.written(document.value, STRUCTS_KEYS, "file of structs")
        self.text(document.value, "about")
        return self.objects(document.value, "commonStructs", "struct", self.struct)

    def headers(self, node: JsonMembers) -> tuple[HeaderRange, ...] | None:
        """The entries of `headerVersions`, by version; None if the key is absent."""
        if "headerVersions" not in node:
            return None
        value = node["headerVersions"]
        if not isinstance(value, JsonMembers):
            self.wrong(node, "headerVersions", "an object")
            return None
        self.repeated(value)
        ranges: list[HeaderRange] = []
        for key in value:
            versions, header = self.range_of_key(value, key), self.digits(value, key, MAX_INT16)
            if versions is not None and header is not None:
                ranges.append(HeaderRange(versions, header))
        return tuple(sorted(ranges, key=lambda item: item.versions.lowest))

    def field(self, node: JsonMembers) -> Field:
        default = node.get("default")
        if isinstance(default, list | dict):
            self.wrong(node, "default", "a string, a number, true, false or null")
            default = None
        result = Field(
            name=self.required(node, "name", "field"),
            type=self.required(node, "type", "field"),
            written=self.written(node, _FAMILY_FIELD_KEYS if self.profile.family else FIELD_KEYS, "field"),
            versions=self.versions(node, "versions"),
            nullable_versions=self.range(node, "nullableVersions"),
            tagged_versions=self.range(node, "taggedVersions"),
            flexible_versions=self.versions(node, "flexibleVersions"),
            tag=self.number(node, "tag", 2**31 - 1),
            default=default,
            has_default="default" in node,
            ignorable=self.flag(node, "ignorable"),
            map_key=self.flag(node, "mapKey"),
            zero_copy=self.flag(node, "zeroCopy"),
            entity_type=self.text(node, "entityType") if "entityType" in node else None,
            about=self.text(node, "about"),
            fields=self.objects(node, "fields", "field", self.field) if "fields" in node else None,
        )
        if "versions" not in node and str(node.get("taggedVersions", "none")).strip() == "none":
            self.missing(node, "versions", "field")
        if ("values" in node or "flags" in node) and not self.profile.family:
            # Few protocols have values in their specs.
            from wirebook.specs.reading.tables.in_specs import read_field_values

            self.lists_values = True
            values = read_field_values(node, self.path, self.lines, result.type, result.present, self.valid)
            return result._replace(values=values)
        return result

    def struct(self, node: JsonMembers) -> Struct:
        return Struct(
            name=self.required(node, "name", "struct"),
            versions=self.required_range(node, "versions", "struct"),
            deprecated_versions=self.range(node, "deprecatedVersions"),
            fields=self.objects(node, "fields", "field", self.field),
            written=self.written(node, _FAMILY_STRUCT_KEYS if self.profile.family else STRUCT_KEYS, "struct"),
            about=self.text(node, "about"),
        )

    def history(self, node: JsonMembers) -> HistoryEntry:
        version = self.number(node, "version", MAX_INT16)
        if version is None and "version" not in node:
            self.missing(node, "version", "history entry")
        words: Mapping[str, str | None] = {key: self.optional_text(node, key) for key in STANDING}
        return HistoryEntry(
            version=version or 0,
            written=self.written(node, HISTORY_KEYS, "history entry"),
            fields=self.texts(node, "fields"),
            about=self.text(node, "about"),
            **words,
        )


def _defining(fields: tuple[Field, ...]) -> Iterator[Field]:
    """The fields that define a struct in place, at every depth."""
    for field in fields:
        if field.fields and field.is_struct:
            yield field
            yield from _defining(field.fields)


def plain(value: Json) -> Json:
    """A JSON value without positions: plain dicts and lists, ready to be written."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
