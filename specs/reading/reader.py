"""Reads the text of a spec into the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from wirebook.specs.jsontext import JsonDocument, JsonObject, SourcePositions, parse_json
from wirebook.specs.limits import MAX_INT16, MAX_LAID_OUT, MAX_STRUCT_DEPTH
from wirebook.specs.model import (
    STANDING,
    Field,
    HeaderRange,
    HistoryEntry,
    Json,
    Message,
    Protocol,
    Struct,
)
from wirebook.specs.numbers import read_field_values
from wirebook.specs.problems import InputError, Problem, ProblemKind
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reading.discovery import STRUCTS, split_imports
from wirebook.specs.reading.imports import imported_texts
from wirebook.specs.reading.values import Values
from wirebook.specs.versions import Versions

MESSAGE_KEYS = frozenset((
    "$schema", "apiKey", "type", "listeners", "name", "validVersions", "deprecatedVersions",
    "flexibleVersions", "headerVersions", "latestVersionUnstable", "about", "imports",
    "commonStructs",
    "fields", "history",
))  # fmt: skip
FIELD_KEYS = frozenset((
    "name", "type", "versions", "nullableVersions", "taggedVersions", "flexibleVersions", "tag",
    "default",
    "ignorable", "mapKey", "zeroCopy", "entityType", "about", "fields", "values", "flags",
))  # fmt: skip
# Kafka's generator does not know these, so a protocol of its family has none of them.
_FAMILY_KEYS = MESSAGE_KEYS - {"about", "imports"}
_FAMILY_FIELD_KEYS = FIELD_KEYS - {"values", "flags"}
_FAMILY_STRUCT_KEYS = frozenset(("name", "versions", "deprecatedVersions", "fields"))
STRUCTS_KEYS = frozenset(("$schema", "type", "about", "imports", "commonStructs"))
STRUCT_KEYS = frozenset(("name", "versions", "deprecatedVersions", "about", "fields"))
HISTORY_KEYS = frozenset(("version", *STANDING, "fields", "about"))


def read_message(
    text: str | bytes, path: str, *, strict: bool = True, profile: Profile = NEUTRAL
) -> Message:
    """Read one spec file of a protocol.

    Loose or invalid parts that the model can represent are listed in `Message.problems`, in text
    order. What the spec imports is at the end of the text (see `imports.py`). Raises InputError,
    with line and column, for broken JSON, for a text that is not a message spec, for imports that
    are missing or wrong, for input above the limits of `specs/limits.py`, and, unless `strict` is
    false, for the first value that the model cannot represent.
    """
    appended = None
    if isinstance(text, bytes):
        text, appended = split_imports(text)
    document = parse_json(text, path)
    node = document.value
    if not isinstance(node, JsonObject):
        at = document.lines.position(document.offset)
        raise InputError("a message spec must be a JSON object", path, at)
    if not {"name", "validVersions", "fields"} & node.keys():
        at = document.lines.position(document.offset)
        words = 'this is not a message spec: it has neither "name", "validVersions" nor "fields"'
        raise InputError(words, path, at)
    reader = _Reader(path, document.lines, profile)
    if document.byte_order_mark:
        words = "the text begins with a byte-order mark"
        reader.report(Problem(ProblemKind.BYTE_ORDER_MARK, "warning", words), 0)
    rest = document.rest
    if appended is not None and not node.get("imports"):
        # Nothing is imported: what looks like it is part of the file.
        rest = len(document.lines.text) if rest is None else rest
    if rest is not None:
        words = "there is text after the end of the spec"
        reader.report(Problem(ProblemKind.TRAILING_TEXT, "warning", words), rest)
    message = reader.message(node, appended)
    _refuse_too_large(message)
    for problem in message.problems if strict else ():
        if problem.severity == "unusable":
            raise InputError(problem.message, path, problem.position)
    return message


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


class _Reader(Values):
    """Builds the model from the nodes of a spec, or of a file of structs that it imports.

    `valid` are the versions of the message, all if they are unknown.
    """

    def __init__(self, path: str, lines: SourcePositions, profile: Profile) -> None:
        # The generator of Kafka refuses keys of other tools.
        super().__init__(path, lines, has_extensions=not profile.family)
        self.profile = profile
        self.valid = Versions.ALL
        self.lists_values = False
        self.files: list[str] = []

    def message(self, node: JsonObject, appended: bytes | None) -> Message:
        valid = self.required_range(node, "validVersions", "message")
        self.valid = valid or Versions.ALL
        fields = self.objects(node, "fields", "field", self.field)
        own = self.objects(node, "commonStructs", "struct", self.struct)
        imported = self.imported(node, appended)
        _refuse_second_structs(self.path, fields, own, imported)
        return Message(
            name=self.required(node, "name", "message"),
            type=self.required(node, "type", "message"),
            valid_versions=valid,
            written=self.written(
                node, _FAMILY_KEYS if self.profile.family else MESSAGE_KEYS, "message"
            ),
            api_key=self.number(node, "apiKey", MAX_INT16),
            flexible_versions=self.range(node, "flexibleVersions"),
            deprecated_versions=self.range(node, "deprecatedVersions"),
            header_versions=self.headers(node),
            listeners=self.words(node, "listeners"),
            latest_version_unstable=self.flag(node, "latestVersionUnstable"),
            fields=fields,
            common_structs=(*own, *imported),
            history=self.objects(node, "history", "history entry", self.history),
            path=self.path,
            purpose=self.text(node, "about"),
            profile=self.profile,
            imports=tuple(self.files),
            lists_values=self.lists_values,
            # Last, because the code above reports them; those of imported files come after all
            # others.
            problems=tuple(
                problem for _, problem in sorted(self.problems, key=lambda pair: pair[0])
            ),
        )

    def imported(self, node: JsonObject, appended: bytes | None) -> tuple[Struct, ...]:
        """The structs of the files that `imports` names, whose texts are at the end of the spec."""
        # What a family does not have is reported, and read all the same: a change of the profile,
        # which may be the same patch, does not make structs disappear.
        if "imports" not in node or (appended is None and self.profile.family):
            return ()
        if not self.words(node, "imports"):
            return ()
        if appended is None:
            words = (
                "what this spec imports was not read with it: read the folder or the revision "
                "that has it"
            )
            at = self.lines.position(self.places(node).values_at["imports"])
            raise InputError(words, self.path, at)
        structs: list[Struct] = []
        base, behind = node.number + 1, len(self.lines.text)
        for path, text in imported_texts(appended, self.path):
            document = parse_json(text, path)
            top = _file_of_structs(document, path)
            reader = _Reader(path, SourcePositions(document.lines.text, path, base), self.profile)
            self.files.append(path)
            structs += (struct._replace(path=path) for struct in reader.structs(top))
            self.problems += ((behind + offset, problem) for offset, problem in reader.problems)
            self.lists_values |= reader.lists_values
            base, behind = base + top.number + 1, behind + len(text)
        return tuple(structs)

    def structs(self, node: JsonObject) -> tuple[Struct, ...]:
        """The structs that a file of structs defines."""
        self.written(node, STRUCTS_KEYS, "file of structs")
        self.text(node, "about")
        self.words(node, "imports")
        return self.objects(node, "commonStructs", "struct", self.struct)

    def headers(self, node: JsonObject) -> tuple[HeaderRange, ...] | None:
        """The entries of `headerVersions`, by version; None if the key is absent."""
        if "headerVersions" not in node:
            return None
        value = node["headerVersions"]
        if not isinstance(value, JsonObject):
            self.wrong(node, "headerVersions", "an object")
            return None
        self.repeated(value)
        ranges: list[HeaderRange] = []
        for key in value:
            versions, header = self.range_of_key(value, key), self.digits(value, key, MAX_INT16)
            if versions is not None and header is not None:
                ranges.append(HeaderRange(versions, header))
        return tuple(sorted(ranges, key=lambda item: item.versions.lowest))

    def field(self, node: JsonObject) -> Field:
        default = node.get("default")
        if isinstance(default, list | dict):
            self.wrong(node, "default", "a string, a number, true, false or null")
            default = None
        result = Field(
            name=self.required(node, "name", "field"),
            type=self.required(node, "type", "field"),
            written=self.written(
                node, _FAMILY_FIELD_KEYS if self.profile.family else FIELD_KEYS, "field"
            ),
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
            self.lists_values = True
            values = read_field_values(
                node, self.path, self.lines, result.type, result.present, self.valid
            )
            return result._replace(values=values)
        return result

    def struct(self, node: JsonObject) -> Struct:
        return Struct(
            name=self.required(node, "name", "struct"),
            versions=self.required_range(node, "versions", "struct"),
            deprecated_versions=self.range(node, "deprecatedVersions"),
            fields=self.objects(node, "fields", "field", self.field),
            written=self.written(
                node, _FAMILY_STRUCT_KEYS if self.profile.family else STRUCT_KEYS, "struct"
            ),
            about=self.text(node, "about"),
        )

    def history(self, node: JsonObject) -> HistoryEntry:
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


def _file_of_structs(document: JsonDocument, path: str) -> JsonObject:
    """The object of a file of structs. Raises InputError for any other text."""
    top = document.value
    is_one = isinstance(top, JsonObject) and top.get("type") == STRUCTS and document.rest is None
    if isinstance(top, JsonObject) and is_one and isinstance(top.get("commonStructs"), list):
        return top
    words = f'this is not a file of structs: an object with "type": "{STRUCTS}" and "commonStructs"'
    raise InputError(words, path, document.lines.position(document.offset))


def _refuse_second_structs(
    path: str, fields: Iterable[Field], own: Iterable[Struct], imported: Iterable[Struct]
) -> None:
    """Raise InputError if an imported struct has the name of another one."""
    first: dict[str, Struct] = {}
    for struct in imported:
        other = first.setdefault(struct.name, struct)
        if other is not struct:
            words = f"the struct {struct.name} is defined twice: in {other.path} too"
            raise InputError(words, struct.path, struct.written.at("name"))
    written = [(struct.name, struct.written, "name") for struct in own]
    written += [(field.element, field.written, "type") for field in _defining(fields)]
    for name, node, key in written:
        if name in first:
            words = (
                f"the struct {name} is defined here and in {first[name].path}, which this spec "
                "imports"
            )
            raise InputError(words, path, node.at(key))


def _defining(fields: Iterable[Field]) -> Iterator[Field]:
    """The fields that define a struct in place, at every depth."""
    for field in fields:
        if field.fields and field.is_struct:
            yield field
            yield from _defining(field.fields)


def _refuse_too_large(message: Message) -> None:
    """Raise InputError, with the position, if a message is above the limits of
    `specs/limits.py`."""
    sizes: dict[str, tuple[int, int]] = {}

    def size_of(fields: Iterable[Field], within: tuple[str, ...]) -> tuple[int, int]:
        """How many fields there are with all inside them, and how many structs are nested in
        them."""
        count = depth = 0
        for field in fields:
            count += 1
            inner, name = message.fields_of(field), field.element
            if not inner or name in within:
                continue
            size = sizes.get(name) if inner is not field.fields else None
            if len(within) + (size[1] if size else 0) >= MAX_STRUCT_DEPTH:
                words = f"more than {MAX_STRUCT_DEPTH} structs contain each other in turn"
                raise InputError(words, message.path or None, field.written.position)
            if size is None:
                size = size_of(inner, (*within, name))
                if inner is not field.fields:
                    sizes[name] = size
            count, depth = count + size[0], max(depth, size[1] + 1)
        return count, depth

    for struct in message.common_structs:
        size_of(struct.fields, (struct.name,))
    fields, valid = size_of(message.fields, ())[0], message.valid_versions
    if fields * len(valid) > MAX_LAID_OUT:
        words = (
            f"{fields:,} fields in {len(valid):,} versions are above the limit of "
            f"{MAX_LAID_OUT:,} in all"
        )
        if valid.open:
            words += '; name the last version, as in "0-9"'
        raise InputError(words, message.path or None, message.written.at("validVersions"))


def plain(value: Json) -> Json:
    """A JSON value without positions: plain dicts and lists, ready to be written."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
