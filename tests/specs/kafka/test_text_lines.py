"""The lines of our texts: each is that of the key of the text."""

from __future__ import annotations

from wirebook.specs.kafka.text_lines import text_lines
from wirebook.specs.kafka.texts import TEXTS, all_texts


def test_each_text_of_a_field_is_at_its_line() -> None:
    for name, texts in all_texts().items():
        found = text_lines(name)
        assert found is not None
        file = (TEXTS / f"{name}.json").read_text(encoding="utf-8").split("\n")
        assert '"purpose": ' in file[found.purpose - 1]
        for message, own in texts.messages.items():
            for path, parts in own.fields.items():
                for part in parts:
                    version = part.versions.lowest or 0
                    line = file[found.field(message, path, version) - 1]
                    assert f'"{path}": ' in line or f'"{part.versions}": ' in line, (message, path)


def test_what_has_no_text_has_no_line() -> None:
    found = text_lines("Metadata")
    assert found is not None
    assert found.field("MetadataRequest", "Topics.TopicId", 3) == 0
    assert found.field("MetadataRequest", "NoField", 3) == 0
    assert text_lines("NoSuchApi") is None
