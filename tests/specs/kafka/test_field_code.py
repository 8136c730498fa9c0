"""The code of fields: of the verified release, and the source of texts without another."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from tests.support import ROOT
from wirebook.specs.kafka.citations import citations
from wirebook.specs.kafka.field_code import PATH, field_code
from wirebook.specs.kafka.origins import code_place
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import all_texts
from wirebook.specs.wire.layout import layouts


def test_the_file_is_valid_and_of_the_verified_release() -> None:
    schema = json.loads((ROOT / "specs" / "schema" / "field_code.json").read_text(encoding="utf-8"))
    document = json.loads(PATH.read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(document)
    assert document["release"] == known_releases().verified


def test_it_is_about_fields_that_exist() -> None:
    paths = {
        message.name: {field.path for of_version in layouts(message) for field in of_version.walk()}
        for message in embedded_protocol().messages
    }
    assert {name for name in field_code() if name not in paths} == set()
    assert {
        (name, path) for name, of in field_code().items() for path in of if path not in paths[name]
    } == set()


def test_it_is_the_source_of_texts_of_fields_without_another() -> None:
    fetch = all_texts()["Fetch"]
    sources = {each.text: each for each in fetch.cited}
    watermark = sources[fetch.messages["FetchResponse"].newest("Responses.Partitions.HighWatermark")]
    assert watermark.is_of_field
    assert watermark.source.startswith("set in KafkaApis.handleFetchRequest; read in ")
    assert len(watermark.code) == 2
    session = sources[fetch.messages["FetchRequest"].newest("SessionEpoch")]
    assert not session.is_of_field
    cited = [each for texts in all_texts().values() for each in texts.cited if each.is_of_field]
    assert len(cited) > 1400
    assert all(code_place(named) for each in cited for named in citations(each.source))
