"""A spec with the line ends of Windows means the same, and everything in it has the same position."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.together import together
from wirebook.specs.kafka.registry import embedded_paths
from wirebook.specs.model import Field, Message, SourceNode
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import read_message

OWN = embedded_paths()


def windows(text: bytes) -> bytes:
    """A text as a checkout with core.autocrlf has it."""
    assert b"\r" not in text
    return text.replace(b"\n", b"\r\n")


def nodes(message: Message) -> Iterator[SourceNode]:
    """Every node of a spec."""

    def below(fields: tuple[Field, ...]) -> Iterator[SourceNode]:
        for field in fields:
            yield field.written
            yield from below(field.fields or ())

    yield message.written
    yield from below(message.fields)
    for struct in message.common_structs:
        yield struct.written
        yield from below(struct.fields)
    yield from (entry.written for entry in message.history)


@together("path", OWN, ids=lambda path: path.stem)
def test_every_node_of_our_own_specs_keeps_its_position(path: Path) -> None:
    text = path.read_bytes()
    unix, dos = read_message(text, path.name), read_message(windows(text), path.name)
    assert unix == dos
    assert (unix.header, unix.problems) == (dos.header, dos.problems)
    pairs = list(zip(nodes(unix), nodes(dos), strict=True))
    assert len(pairs) > 1
    for one, other in pairs:
        assert (one.position, one.comments) == (other.position, other.comments)
        assert [one.at(key) for key in one.keys] == [other.at(key) for key in other.keys]


@pytest.mark.parametrize(
    "text",
    [
        b'{\n  "apiKey": 1,\n  "type": "request"\n  "name": "A"\n}\n',
        b'// a comment\n{\n  "apiKey": 1,\n  "fields": [\n    {"name": "A", "name": }\n  ]\n}\n',
        b'{\n  "name": "open\n}\n',
        b'{\n  /* a comment\n  "name": 1\n}\n',
    ],
)
def test_what_is_wrong_is_found_at_the_same_place(text: bytes) -> None:
    with pytest.raises(InputError) as unix:
        read_message(text, "A.json")
    with pytest.raises(InputError) as dos:
        read_message(windows(text), "A.json")
    assert str(dos.value) == str(unix.value)
    assert unix.value.position is not None
    assert unix.value.position.line > 1
