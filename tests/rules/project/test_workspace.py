"""What a workspace reads of a source: its formats, its protocols, its registry, and their words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repositories import request, response, started
from tests.specs.reading.franz import BERTHS, ENUMS
from tests.support import lay
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.registry import embedded_protocol, load_registry
from wirebook.specs.load import SourceContents, as_json, in_configured_formats, registry_of
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.sources.source import open_source

LEVELS = '[{"id": 0, "version": "1.0-IV0", "release": "1.0"}]'


def read_protocols(source: str | Path) -> tuple[SourceContents, ...]:
    return Workspace.open(Path(), source).contents


def read_source(source: str | Path, protocol: str | None = None) -> SourceContents:
    return Workspace.open(Path(), source, protocol).only


def test_the_embedded_specs_are_those_of_kafka() -> None:
    [only] = read_protocols("kafka")
    assert (only.description, only.name) == ("the embedded specs", "")
    assert only.protocol == embedded_protocol()
    assert only.registry == load_registry()
    assert [item.name for item in only.formats] == ["kafka-json"]
    assert not only.is_wire_only
    assert {"request", "response", "data", "header"} <= only.types


def test_a_folder_is_read_with_its_registry(tmp_path: Path) -> None:
    top = lay(tmp_path / "top", {"a/FetchRequest.json": request(), "a/FetchResponse.json": response()})
    plain = read_source(str(top))
    assert [message.name for message in plain.protocol] == ["FetchRequest", "FetchResponse"]
    assert (plain.protocol.name, plain.description) == (str(top), f"the directory {top}")
    assert (plain.registry, plain.registry_text) == (None, "")
    lay(top, {"api_versions.json": LEVELS})
    found = read_source(top)
    assert found.registry is not None
    assert [level.version for level in found.registry.api_versions] == ["1.0-IV0"]
    assert found.registry_text == LEVELS
    lay(top, {"test/FooRequest.json": request(name="FooRequest", apiKey=9)})
    assert read_source(top).protocol == plain.protocol


def test_definitions_of_franz_go_are_read_as_such(tmp_path: Path) -> None:
    folder = lay(tmp_path / "defs", {"07_berths": BERTHS, "enums": ENUMS})
    found = read_source(f"franz-go:{folder}")
    assert [message.name for message in found.protocol] == ["BerthsRequest", "BerthsResponse"]
    assert found.is_wire_only
    assert found.types == {"request", "response"}
    assert found.description == f"the directory {folder}, as franz-go"
    assert {message.profile.name for message in found.protocol} == {"kafka"}
    with pytest.raises(InputError, match="no message specs in the directory"):
        read_source(str(folder))
    with pytest.raises(InputError, match="specs in the format franz-go are not read here"):
        open_source(f"franz-go:{folder}")
    # A configuration may name the format, too; a prefix counts more.
    for config, text in (
        ("wirebook.toml", 'formats = "franz-go"'),
        ("pyproject.toml", '[tool.wirebook]\nformats = ["franz-go"]'),
    ):
        lay(folder, {config: text})
        assert read_source(str(folder)).protocol.messages == found.protocol.messages
        with pytest.raises(InputError, match="no message specs"):
            read_source(f"dir:{lay(tmp_path / 'empty', {'x.txt': ''})}")
        (folder / config).unlink()


def test_several_formats_are_read_together(tmp_path: Path) -> None:
    mixed = {"07_berths": BERTHS, "enums": ENUMS, "FetchRequest.json": request()}
    folder = lay(tmp_path / "mixed", mixed | {"wirebook.toml": 'formats = ["kafka-json", "franz-go"]'})
    for order in ('["kafka-json", "franz-go"]', '["franz-go", "kafka-json"]'):
        lay(folder, {"wirebook.toml": f"formats = {order}"})
        found = read_source(str(folder))
        assert [message.name for message in found.protocol] == [
            "FetchRequest",
            "BerthsRequest",
            "BerthsResponse",
        ]
        assert found.is_wire_only
        assert [item.name for item in found.formats] == json.loads(order)
        source = in_configured_formats(open_source(str(folder)))
        texts = as_json(source, source.texts())
        assert [text.path for text in texts] == [
            "07_berths/BerthsRequest.json",
            "07_berths/BerthsResponse.json",
            "FetchRequest.json",
        ]
        assert json.loads(texts[0].text)["name"] == "BerthsRequest"
        assert json.loads(texts[2].text) == request()
    plain = open_source(str(lay(tmp_path / "plain", {"FetchRequest.json": request()})))
    assert as_json(plain, plain.texts()) == plain.texts()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("formats = 5", '1:1: "formats" must be a list of strings'),
        ("formats = []", '1:1: "formats" must be a list of strings'),
        ('a = 1\nformats = "x"', '2:1: there is no format "x"; there are kafka-json, franz-go'),
        ('formats = ["kafka-json", "x"]', '1:26: there is no format "x"'),
    ],
)
def test_formats_that_a_configuration_gets_wrong(text: str, words: str, tmp_path: Path) -> None:
    folder = lay(tmp_path, {"FetchRequest.json": request(), "wirebook.toml": text})
    with pytest.raises(InputError) as caught:
        read_source(str(folder))
    assert str(caught.value).startswith(f"wirebook.toml:{words}")


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("wirebook.toml", '# formats = "franz-go"'),
        ("wirebook.toml", '[tool.wirebook]\nformats = "franz-go"'),
        ("pyproject.toml", 'formats = "franz-go"'),
        ("pyproject.toml", '[tool]\nwirebook = "formats"'),
        ("pyproject.toml", 'tool = "formats"'),
    ],
)
def test_formats_elsewhere_mean_nothing(config: str, text: str, tmp_path: Path) -> None:
    folder = lay(tmp_path, {"FetchRequest.json": request(), config: text})
    assert [item.name for item in read_source(str(folder)).formats] == ["kafka-json"]


def test_the_configuration_above_the_specs_counts_within_the_repository(tmp_path: Path) -> None:
    lay(tmp_path, {"wirebook.toml": 'formats = "franz-go"'})
    repo = started(tmp_path / "repo")
    repo.write("in/deep/07_berths", BERTHS)
    repo.write("in/deep/enums", ENUMS)
    assert in_configured_formats(open_source(str(repo.folder / "in/deep"))).formats == ("kafka-json",)
    repo.write("wirebook.toml", 'formats = "franz-go"')
    repo.commit()
    for source in (
        str(repo.folder / "in/deep"),
        f"{repo.folder}@main:in/deep",
        f"{repo.folder}@main:in/deep/",
    ):
        assert in_configured_formats(open_source(source)).formats == ("franz-go",)
        assert len(read_source(source).protocol) == 2
    # The nearest one counts.
    repo.write("in/wirebook.toml", 'formats = "kafka-json"')
    repo.commit()
    for source in (str(repo.folder / "in/deep"), f"{repo.folder}@main:in/deep"):
        assert in_configured_formats(open_source(source)).formats == ("kafka-json",)


SEVERAL = """[[protocol]]
name = "one"
paths = "a"
[[protocol]]
name = "two"
paths = "b"
"""


def test_one_of_several_protocols_is_named(tmp_path: Path) -> None:
    files = {"a/FetchRequest.json": request(), "b/FetchRequest.json": request(), "wirebook.toml": SEVERAL}
    folder = lay(tmp_path / "top", files)
    assert [part.name for part in read_protocols(str(folder))] == ["one", "two"]
    assert read_source(str(folder), "two").protocol.messages[0].path == "b/FetchRequest.json"
    with pytest.raises(InputError) as caught:
        read_source(str(folder))
    assert str(caught.value) == (
        f"there are several protocols in the directory {folder}: one, two; choose one with --protocol"
    )
    with pytest.raises(InputError, match=r'there is no protocol "x" in the directory .*; it has one, two$'):
        read_source(str(folder), "x")
    (folder / "wirebook.toml").unlink()
    (folder / "b/FetchRequest.json").unlink()
    with pytest.raises(InputError, match=r"it has one protocol; leave --protocol out$"):
        read_source(str(folder), "one")


def test_the_registry_of_a_profile(tmp_path: Path) -> None:
    folder = lay(tmp_path, {"a/FetchRequest.json": request(), "levels.json": LEVELS})
    source = open_source(str(folder))
    texts = source.texts()
    named = Profile(tables={"levels": "levels.json"}, path="profile.toml")
    found = registry_of(source, texts, named)
    assert found is not None
    assert found.path == "levels.json"
    assert registry_of(source, texts, NEUTRAL) is None
    kafka = embedded_profile(KAFKA)
    # A fork without a registry of its own has that of Kafka.
    for profile in (kafka, kafka._replace(name="fork")):
        assert registry_of(source, texts, profile) == load_registry()
    with pytest.raises(InputError) as caught:
        registry_of(source, texts, Profile(tables={"levels": "x.json"}, path="profile.toml"))
    assert str(caught.value) == 'profile.toml: there is no "x.json", the table of levels of the profile'
    lay(folder, {"a/api_versions.json": LEVELS.replace("1.0", "2.0"), "api_versions.json": LEVELS})
    nearest = registry_of(source, texts, kafka)
    assert nearest is not None
    assert (nearest.path, nearest.api_versions[0].version) == ("a/api_versions.json", "2.0-IV0")
    lay(folder, {"a/api_versions.json": LEVELS.replace('"id": 0', '"id": 1')})
    with pytest.raises(InputError, match=r'the protocol level "1.0-IV0" has id 1; 0 comes here'):
        registry_of(source, texts, NEUTRAL)


def test_a_broken_file_in_the_place_of_a_spec_is_read_in_the_first_format(tmp_path: Path) -> None:
    """Its folder, of which its path says nothing, makes it a spec."""
    files = {"FooRequest.json": '{"broken"', "wirebook.toml": 'formats = ["kafka-json", "franz-go"]'}
    folder = lay(tmp_path / "message", files)
    words = r"^FooRequest.json:1:10: expected \":\" after the key"
    with pytest.raises(InputError, match=words):
        read_source(str(folder))
    source = in_configured_formats(open_source(str(folder)))
    assert [text.path for text in as_json(source, source.texts())] == ["FooRequest.json"]
