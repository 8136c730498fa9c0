"""Our prose about Kafka's messages: complete, about what exists, and in our own words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import kafka.admin._acls as kafka_acls
import kafka.admin._configs as kafka_configs
import pytest

from tests.specs.released_specs import text, texts
from tests.support import needs_shared
from tests.together import together
from wirebook.specs.kafka import text_check
from wirebook.specs.kafka import texts as kafka_texts
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.kafka.text_check import check_texts, coverage
from wirebook.specs.kafka.texts import TEXTS, all_texts, texts_of, with_texts
from wirebook.specs.kafka.values import all_values
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError, Position
from wirebook.specs.texts.model import ApiTexts, CitedText, FieldValue, FieldValues
from wirebook.specs.versions import Versions
from wirebook.specs.wire.layout import layout

COPIED_WORDS = 8
PROTOCOL: Protocol = embedded_protocol()


def sentences(texts: ApiTexts) -> Iterator[str]:
    yield texts.purpose
    yield from texts.use
    yield from texts.pitfalls
    yield from texts.versions.values()
    yield from texts.requires.values()
    for message in texts.messages.values():
        for parts in message.fields.values():
            yield from (part.text for part in parts)
        for values in message.values.values():
            yield from (item.meaning for item in values.listed)
            yield values.others
    for error in texts.errors:
        yield from (error.cause, error.action)


def test_every_text_is_about_something_that_exists() -> None:
    assert check_texts(PROTOCOL).keys() == all_texts().keys()


@pytest.mark.parametrize("where", ["source", "cited", "errors"])
def test_a_source_that_does_not_resolve_is_reported_at_its_place(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = all_texts()["Metadata"]
    wrong = "KafkaApis.noSuchMethod"
    if where == "source":
        broken = texts._replace(source=wrong)
    elif where == "cited":
        broken = texts._replace(cited=(CitedText("A.", wrong, Position(7, 9)),))
    else:
        broken = texts._replace(errors=(texts.errors[0]._replace(source=wrong), *texts.errors[1:]))
    monkeypatch.setattr(text_check, "all_texts", lambda: {"Metadata": broken})
    reason = r"^specs/kafka/texts/Metadata.json:\d+:\d+: 4.3.1 has no KafkaApis.noSuchMethod, as far as "
    with pytest.raises(InputError, match=reason):
        check_texts(PROTOCOL)


def test_values_name_the_releases_that_know_them() -> None:
    listed = all_values()["DescribeConfigsRequest"]["Resources.ResourceType"].listed
    assert {item.name: item.releases for item in listed} == {
        "TOPIC": "", "BROKER": "", "BROKER_LOGGER": "since 2.4", "CLIENT_METRICS": "since 3.7",
        "GROUP": "since 4.0",
    }  # fmt: skip
    found = all_values()["DescribeConfigsRequest"]["Resources.ResourceType"]
    assert FieldValues.from_json(found.to_json()) == found


def test_every_api_version_and_field_has_a_text() -> None:
    found = coverage(PROTOCOL, all_texts())
    assert found.gaps == ()
    assert found.apis == (found.apis[1],) * 2
    assert found.versions == (found.versions[1],) * 2
    assert found.fields[0] == found.fields[1] > 2000
    some = {name: all_texts()[name] for name in ("Fetch", "Metadata")}
    few = coverage(PROTOCOL, some)
    totals = (found.apis[1], found.versions[1], found.fields[1])
    assert (few.apis[1], few.versions[1], few.fields[1]) == totals
    assert few.apis[0] == len(some)
    described = few.apis[0] + few.versions[0] + few.fields[0]
    assert len(few.gaps) == sum(totals) - described
    assert 0 < few.versions[0] < few.fields[0] < found.fields[0]


@together("name", sorted(all_texts()))
def test_a_text_is_a_sentence_and_not_thin(name: str) -> None:
    texts = all_texts()[name]
    for sentence in sentences(texts):
        if sentence:
            assert sentence.endswith((".", "?", "!")), sentence
            assert len(sentence.split()) >= 3, sentence
    assert len(texts.purpose.split()) >= 6


@needs_shared
def test_no_sentence_is_taken_over_from_kafka() -> None:
    taken: set[tuple[str, ...]] = set()
    for digest in {digest for rows in texts().values() for _, digest in rows}:
        for sentence in written(text(digest).decode()):
            taken.update(runs(sentence))
    assert len(taken) > 5_000
    for name, own in all_texts().items():
        copied = [" ".join(run) for line in sentences(own) for run in runs(line) if run in taken]
        assert copied == [], name


def written(spec: str) -> Iterator[str]:
    """The abouts of a spec and its comments, each block of comment lines as one."""
    yield from re.findall(r'"about"\s*:\s*"((?:[^"\\]|\\.)*)"', spec)
    for block in re.findall(r"(?:^[ \t]*//.*\n)+", spec, re.MULTILINE):
        yield block.replace("//", " ")


def runs(sentence: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"\w+", sentence.casefold())
    for place in range(len(words) - COPIED_WORDS + 1):
        yield tuple(words[place : place + COPIED_WORDS])


def test_a_layout_has_the_text_of_its_version() -> None:
    message = next(item for item in PROTOCOL.messages if item.name == "HeartbeatRequest")
    own = texts_of("Heartbeat")
    assert own is not None
    fields = {field.path: field.about for field in layout(with_texts(message), 4).fields}
    assert fields["GroupId"] == own.messages["HeartbeatRequest"].about("GroupId", 4)
    assert layout(message, 4).fields[0].about == ""


MESSAGE = ("messages", "HeartbeatRequest")
FIELDS = (*MESSAGE, "fields")


def error(name: str, field: str) -> dict[str, str]:
    return {"name": name, "field": field, "cause": "A.", "action": "B.", "source": "C."}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of texts of which the one about Heartbeat is a copy of ours."""
    source = (TEXTS / "Heartbeat.json").read_text(encoding="utf-8")
    (tmp_path / "Heartbeat.json").write_text(source, encoding="utf-8")
    for module in ("wirebook.specs.kafka.texts", "wirebook.specs.kafka.text_check"):
        monkeypatch.setattr(f"{module}.TEXTS", tmp_path)
    kafka_texts._files.cache_clear()
    kafka_texts._read.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    kafka_texts._files.cache_clear()
    kafka_texts._read.cache_clear()


@pytest.mark.share(2)
@pytest.mark.parametrize(
    ("keys", "value", "words"),
    [
        (("name",), "Hartbeat", "belong in Hartbeat.json"),
        (("versions", "9"), "New.", "Heartbeat has no version 9"),
        (("requires", "9"), "New.", "Heartbeat has no version 9"),
        (("messages", "HartbeatRequest"), {"fields": {}}, 'no message "HartbeatRequest"'),
        ((*FIELDS, "Grup"), "A group.", 'HeartbeatRequest has no field "Grup"'),
        ((*FIELDS, "GroupId"), {"0-4": "A.", "7": "B."}, "not in versions 7"),
        (("replaced_by",), ["Hartbeat"], 'no other API or message "Hartbeat"'),
        (("replaced_by",), ["Heartbeat"], 'no other API or message "Heartbeat"'),
        ((*MESSAGE, "replaced_by"), {"GroupId": "Grup"}, 'HeartbeatRequest has no field "Grup"'),
        ((*MESSAGE, "replaced_by"), {"Grup": "GroupId"}, 'HeartbeatRequest has no field "Grup"'),
        ((*MESSAGE, "replaced_by"), {"GroupId": "MemberId"}, "MemberId is in no later version of"),
        (("group",), "Otters", '"Otters" is not a group; choose one of Produce and fetch, '),
        (("replaced_by",), ["Fetch", "Hartbeat"], 'no other API or message "Hartbeat"'),
        ((*FIELDS, "GroupId"), {"7": "B.", "0-4": "A."}, "not in versions 7"),
        (("errors",), [error("X", "ErrorCode")], '"X"'),
        (("errors",), [error("NONE", "ErrorCode"), error("X", "ErrorCode")], '"X"'),
        (("errors",), [error("NONE", "Error")], '"Error"'),
    ],
)
def test_a_text_about_what_does_not_exist_is_reported_at_its_place(
    folder: Path, keys: tuple[str, ...], value: object, words: str
) -> None:
    path = folder / "Heartbeat.json"
    document = json.loads(path.read_text(encoding="utf-8").split("\n", 1)[1])
    inner = document
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    name = words if keys == ("errors",) else f'"{keys[-1]}"'
    lines = path.read_text().split("\n")
    line = next(number for number, text in enumerate(lines, 1) if name in text)
    if isinstance(value, dict) and keys[:-1] != MESSAGE[:-1]:
        # The place is that of a key in the value: the last one, of the versions of a field.
        inner_key = "7" if "7" in value else [*value][-1]
        line = next(
            number for number, text in enumerate(lines, 1) if number > line and f'"{inner_key}"' in text
        )
    with pytest.raises(InputError) as caught:
        check_texts(PROTOCOL)
    assert words in str(caught.value)
    found = re.match(r"specs/kafka/texts/Heartbeat\.json:(\d+):\d+: ", str(caught.value))
    assert found is not None
    assert int(found[1]) == line


@pytest.mark.parametrize("field", ["GroupId", "ErrorCodes", ""])
def test_an_error_code_is_in_a_field_of_the_response(folder: Path, field: str) -> None:
    path = folder / "Heartbeat.json"
    document = json.loads(path.read_text(encoding="utf-8").split("\n", 1)[1])
    for name, is_right in (("ErrorCode", True), (field or "Error", False)):
        document["errors"] = [error("NONE", name) | {"versions": "4+"}]
        path.write_text(json.dumps(document), encoding="utf-8")
        kafka_texts._read.cache_clear()
        if is_right:
            assert check_texts(PROTOCOL)["Heartbeat"].errors[0].field == "ErrorCode"
        else:
            with pytest.raises(InputError, match=f'the response has no field "{name}"'):
                check_texts(PROTOCOL)
    document["errors"] = [error("NONE", "ErrorCode") | {"versions": "5+"}]
    path.write_text(json.dumps(document), encoding="utf-8")
    kafka_texts._read.cache_clear()
    with pytest.raises(InputError, match=r"Heartbeat has no versions 5\+"):
        check_texts(PROTOCOL)


def test_the_files_are_valid_by_their_schema() -> None:
    schema = json.loads((TEXTS.parents[1] / "schema" / "texts.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for name in all_texts():
        document = json.loads((TEXTS / f"{name}.json").read_text(encoding="utf-8").split("\n", 1)[1])
        assert list(validator.iter_errors(document)) == [], name


def test_values_are_those_that_kafka_python_knows() -> None:
    """Its names and numbers come from Kafka's sources, not from us."""
    acls = {
        "ResourceType": kafka_acls.ResourceType,
        "ResourcePatternType": kafka_acls.ACLResourcePatternType,
        "Operation": kafka_acls.ACLOperation,
        "PermissionType": kafka_acls.ACLPermissionType,
    }
    places = {f"CreateAclsRequest.Creations.{name}": kind for name, kind in acls.items()}
    places |= {
        "DescribeConfigsRequest.Resources.ResourceType": kafka_configs.ConfigResourceType,
        "DescribeConfigsResponse.Results.Configs.ConfigSource": kafka_configs.ConfigSourceType,
        "DescribeConfigsResponse.Results.Configs.ConfigType": kafka_configs.ConfigType,
        "IncrementalAlterConfigsRequest.Resources.Configs.ConfigOperation": kafka_configs.AlterConfigOp,
    }
    for place, kind in places.items():
        message, _, path = place.partition(".")
        own = {item.value: item.name for item in all_values()[message][path].listed}
        known = {item.value: item.name for item in kind}
        # Its release is older than TWO_PHASE_COMMIT, and the number of an unknown value is no value of ours.
        assert own.keys() - {15} >= known.keys() - {0}, place
        for number in own.keys() & known.keys():
            assert known[number].endswith(own[number]), place


def test_a_list_of_values_about_what_does_not_exist_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    value = FieldValue(300, "X", "Something.", Versions.parse("0+"))
    for message, path, values, words in (
        ("HeartbeatReq", "GroupId", (value,), 'no message "HeartbeatReq"'),
        ("ProduceRequest", "Ack", (value,), 'ProduceRequest has no field "Ack"'),
        ("ProduceRequest", "TransactionalId", (value._replace(value=0),), "TransactionalId cannot be 0"),
        ("ProduceRequest", "Acks", (value, value), "listed twice"),
        ("ProduceRequest", "Acks", (value._replace(versions=Versions.parse("99+")),), "not in versions 99+"),
    ):
        made = {message: {path: FieldValues(values)}}
        monkeypatch.setattr("wirebook.specs.kafka.text_check.all_values", lambda made=made: made)
        with pytest.raises(InputError, match=r"specs/kafka/values\.json: ") as caught:
            check_texts(PROTOCOL)
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("message", "path", "end"),
    [
        ("FetchRequest", "IsolationLevel", 2**7),
        ("ProduceRequest", "Acks", 2**15),
        ("ProduceRequest", "TimeoutMs", 2**31),
        ("FetchRequest", "Topics.Partitions.FetchOffset", 2**63),
    ],
)
def test_a_value_fits_into_the_type_of_its_field(
    monkeypatch: pytest.MonkeyPatch, message: str, path: str, end: int
) -> None:
    for number, words in ((end, "cannot be"), (-end - 1, "cannot be"), (end - 1, "99+"), (-end, "99+")):
        value = FieldValue(number, "X", "Something.", Versions.parse("99+" if words == "99+" else "0+"))
        made = {message: {path: FieldValues((value,))}}
        monkeypatch.setattr("wirebook.specs.kafka.text_check.all_values", lambda made=made: made)
        with pytest.raises(InputError) as caught:
            check_texts(PROTOCOL)
        assert words in str(caught.value)


def test_the_values_are_valid_by_their_schema_and_in_one_list_each() -> None:
    schema = json.loads((TEXTS.parents[1] / "schema" / "values.json").read_text(encoding="utf-8"))
    document = json.loads((TEXTS.parent / "values.json").read_text(encoding="utf-8"))
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(document)) == []
    places = [place for row in document["sets"] for place in row["fields"]]
    assert len(set(places)) == len(places)
    acks = texts_of("Produce")
    assert acks is not None
    assert [item.value for item in acks.messages["ProduceRequest"].values["Acks"].listed] == [-1, 0, 1]
