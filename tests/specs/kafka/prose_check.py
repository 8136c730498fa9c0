"""Statements of our prose that the specs contradict: widths, null, defaults, tags, versions, names,
codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations

from wirebook.specs.defaults import INTEGERS
from wirebook.specs.kafka.texts import ApiTexts, ErrorText
from wirebook.specs.layout import LayoutField, layouts
from wirebook.specs.model import FieldText, Message, MessageTexts

# The keys that lead to a text in its file, and what is wrong with it.
Complaint = tuple[tuple[str | int, ...], str]

_WIDTH = re.compile(r"\b(u?int(?:8|16|32|64))\b|\b(un)?signed (8|16|32|64)-bit", re.IGNORECASE)
_NULL = re.compile(
    r"(?:^|[.;:,] )(?:or )?[Nn]ull (?!is not allowed)(?:if|for|after|requests|means|when|unless|is)\b"
)
# A default of the field, not of a configuration: "(producer.id.expiration.ms, 86400000 by
# default)".
_VALUE = r"(?<![\w.])(-?\d+|[Tt]rue|[Ff]alse|[Nn]ull)"
_DEFAULT = re.compile(
    rf"{_VALUE}(?:,? by default\b|,? \(?the default\b(?! of))|\bby default {_VALUE}(?!\w|\.\d)"
)
_SETTING = re.compile(r"\b[a-z]+(?:\.[a-z]+)+")
_TAG = re.compile(r"\b[Tt]ag(?:ged field)? (\d+)\b")
_TAGGED = re.compile(r"\bthis tagged field\b")
_NAMED_CODE = re.compile(r"\b([A-Z]+(?:_[A-Z]+)+) \((-?\d+)\)")
_VERSION_AFTER = re.compile(r"\b([A-Z][A-Za-z]+) (\d{1,3})\b(?![.\d])")
_VERSION_BEFORE = re.compile(
    r"\b[Vv]ersions? (\d{1,3})(?:(?:-| to | and )(\d{1,3}))? of ([A-Z][A-Za-z]+)"
)
_COMPOUND = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")
_OPERATION = re.compile(
    r"\b(?:ClusterAction|IdempotentWrite|(?:Alter|Create|Delete|Describe|Read|Write|AlterConfigs|DescribeConfigs)"
    r" (?:on|or [A-Z]\w+ on) (?:the|each|it|a|an|every)\b)"
)
# Compound names of Kafka and others that are no message, field or struct: components, states,
# former names.
_OTHER_NAMES = {
    "ZooKeeper", "KafkaStreams", "OpenTelemetry", "MetricsData", "ClientTelemetry", "LogAppendTime",
    "GroupCoordinator", "KafkaPrincipalBuilder", "KafkaPrincipalSerde", "RemoteStorageManager",
    "StandardAuthorizer", "StreamsPartitionAssignor", "AlterIsr", "ConsumerMetadata",
    "ElectPreferredLeaders", "ListClientMetricsResources", "AwaitingSync", "CompletingRebalance",
    "NotReady", "PreparingRebalance", "CompleteAbort", "CompleteCommit", "PrepareAbort", "PrepareCommit",
    "PrepareEpochFence",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Facts:
    """What the specs define: the versions of each API, every name, and the number of each error
    code.

    `statuses` are the names of values that look like error codes.
    """

    versions: Mapping[str, Set[int]]
    names: Set[str]
    codes: Mapping[str, int]
    statuses: Set[str] = frozenset()

    @classmethod
    def of(
        cls, messages: Mapping[str, Iterable[Message]], codes: Mapping[str, int], statuses: Set[str]
    ) -> Facts:
        """The facts of messages by API."""
        every = [message for of_api in messages.values() for message in of_api]
        items = {
            field.name: field.type
            for message in every
            for laid in layouts(message)
            for field in laid.walk()
        }
        names = {*messages, *(message.name for message in every), *items, *items.values()}
        structs = {
            field.element
            for message in every
            for laid in layouts(message)
            for field in laid.walk()
            if field.element
        }
        versions = {
            api: {number for message in of_api for number in message.valid_versions}
            for api, of_api in messages.items()
        }
        return cls(versions, names | structs, codes, statuses)


def contradictions(
    texts: ApiTexts, messages: Iterable[Message], facts: Facts
) -> Iterator[Complaint]:
    """The statements of some texts that the specs contradict."""
    for keys, text in _sentences(texts):
        yield from ((keys, problem) for problem in _of_any(text, facts))
    for message in messages:
        own = texts.messages.get(message.name)
        if own is not None:
            yield from _of_fields(message, own)
    yield from _same_causes(texts.errors)


def _sentences(texts: ApiTexts) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every text, with the keys that lead to it."""
    yield ("purpose",), texts.purpose
    for name, text in texts.use._asdict().items():
        yield ("use", name), text
    for number, text in enumerate(texts.pitfalls):
        yield ("pitfalls", number), text
    for key, by_version in (("versions", texts.versions), ("requires", texts.requires)):
        for version, text in by_version.items():
            yield (key, str(version)), text
    for name, own in texts.messages.items():
        for path, parts in own.fields.items():
            for part in parts:
                yield _keys(name, path, part), part.text
    for number, error in enumerate(texts.errors):
        for key in ("cause", "action", "reason"):
            yield ("errors", number, key), getattr(error, key)


def _keys(name: str, path: str, part: FieldText) -> tuple[str, ...]:
    return ("messages", name, "fields", path, str(part.versions))


def _of_any(text: str, facts: Facts) -> Iterator[str]:
    """What is wrong with a sentence, wherever it is."""
    for name, code in _NAMED_CODE.findall(text):
        if name in facts.statuses:
            continue
        if name not in facts.codes:
            yield f'there is no error code "{name}"'
        elif facts.codes[name] != int(code):
            yield f"{name} is error code {facts.codes[name]}, not {code}"
    named = [(api, number) for api, number in _VERSION_AFTER.findall(text)]
    named += [
        (api, end)
        for first, last, api in _VERSION_BEFORE.findall(text)
        for end in (first, last)
        if end
    ]
    for api, number in named:
        if api in facts.versions and int(number) not in facts.versions[api]:
            yield f"{api} has no version {number}"
    operation = _OPERATION.search(text)
    if operation:
        yield f'write a permission like CLUSTER_ACTION, not "{operation[0]}"'
    for name in _COMPOUND.findall(text) if not operation else ():
        if name not in facts.names and name not in _OTHER_NAMES:
            yield f'there is no message or field "{name}"'


def _of_fields(message: Message, own: MessageTexts) -> Iterator[Complaint]:
    """What is wrong with the texts about fields."""
    laid_out = layouts(message)
    for path, parts in own.fields.items():
        for part in parts:
            items = [
                item
                for laid in laid_out
                if laid.version in part.versions
                for item in laid.walk()
                if item.path == path
            ]
            for problem in _of_field(path, part, items):
                yield _keys(message.name, path, part), problem


def _of_field(path: str, part: FieldText, fields: Sequence[LayoutField]) -> Iterator[str]:
    """What is wrong with a text about a field: a width, null, a default or a tag that it does not
    have."""
    kinds = {(field.element or field.type).lower() for field in fields}
    widths = {name.lower() or f"{sign}int{bits}" for name, sign, bits in _WIDTH.findall(part.text)}
    widths = {width.replace("unint", "uint") for width in widths}
    if widths and kinds <= {name.lower() for name in INTEGERS} and not kinds <= widths:
        yield f"{path} is {', '.join(sorted(kinds))}"
    if _NULL.search(part.text) and fields and not any(field.nullable for field in fields):
        yield f"{path} is never null in versions {part.versions}"
    defaults = {_word(field.default) for field in fields}
    for match in _DEFAULT.finditer(part.text):
        value = (match[1] or match[2]).lower()
        begin = max(part.text.rfind(mark, 0, match.start()) for mark in (")", ". "))
        is_setting = _SETTING.search(part.text, begin + 1, match.start())
        if fields and value not in defaults and not is_setting:
            yield f"the default of {path} is {', '.join(sorted(defaults))}, not {value}"
    tags = {field.tag for field in fields}
    for number in _TAG.findall(part.text):
        if fields and int(number) not in tags:
            yield f"{path} does not have the tag {number} in versions {part.versions}"
    if fields and tags == {None} and _TAGGED.search(part.text):
        yield f"{path} is not tagged in versions {part.versions}"


def _word(default: object) -> str:
    """A default as texts write it."""
    if default is None or isinstance(default, bool):
        return {None: "null", True: "true", False: "false"}[default]
    return str(default)


def _same_causes(errors: Iterable[ErrorText]) -> Iterator[Complaint]:
    """Two codes for one cause, in one field of one version and release."""
    for (_, one), (number, other) in combinations(enumerate(errors), 2):
        places = ((each.field, each.cause, each.releases) for each in (one, other))
        differs = (
            one.name == other.name or len(set(places)) > 1 or not one.versions & other.versions
        )
        if not differs and not (one.inferred and other.inferred):
            yield ("errors", number, "cause"), f"{one.name} and {other.name} have the same cause"
