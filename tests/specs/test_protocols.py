"""The specs of a source by protocol, wherever the configuration is that names the protocols."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, request
from tests.support import lay
from wirebook.specs.kafka import KAFKA
from wirebook.specs.problems import InputError
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.protocols import chosen, chosen_part, held_by, listed, parts_of
from wirebook.specs.sources.source import Source, open_source

TABLES = """[[protocol]]
name = "one"
paths = "a"
[[protocol]]
name = "two"
paths = ["b", "both"]
profile = "kafka"
[[protocol]]
name = "rest"
"""
PATHS = ("a/FetchRequest.json", "b/FetchRequest.json", "c/FetchRequest.json")


def parts(source: Source) -> list[tuple[str, str, list[str]]]:
    found = parts_of(source, source.texts())
    return [(part.name, part.profile.name, [text.path for text in part.texts]) for part in found]


def test_each_spec_is_in_one_part(tmp_path: Path) -> None:
    folder = lay(tmp_path / "top", {path: request() for path in PATHS})
    plain = parts(open_source(str(folder)))
    assert plain == [("", "", list(PATHS))]
    lay(folder, {"wirebook.toml": TABLES})
    assert parts(open_source(str(folder))) == [
        ("one", "", ["a/FetchRequest.json"]),
        ("rest", "", ["c/FetchRequest.json"]),
        ("two", "two", ["b/FetchRequest.json"]),
    ]
    # A protocol without keys of a profile has the one beside its specs.
    lay(folder, {"a/profile.toml": 'name = "own"'})
    assert parts(open_source(str(folder)))[0][:2] == ("one", "own")


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("wirebook.toml", "# [[protocol]]\nx = 1", 1),
        ("wirebook.toml", 'protocol = "x"', None),
        ("wirebook.toml", TABLES, 3),
        ("wirebook.toml", TABLES.replace("protocol", '"proto\\u0063ol"'), 3),
        ("pyproject.toml", TABLES, 1),
        ("pyproject.toml", TABLES.replace("[[protocol", "[[tool.wirebook.protocol"), 3),
        ("pyproject.toml", 'tool = "protocol"', 1),
        ("pyproject.toml", '[tool]\nwirebook = "protocol"', 1),
    ],
)
def test_only_tables_in_their_place_name_protocols(
    name: str, text: str, count: int | None, tmp_path: Path
) -> None:
    folder = lay(tmp_path, {path: request() for path in PATHS} | {name: text})
    if count is None:
        with pytest.raises(InputError, match="this must be a table"):
            parts(open_source(str(folder)))
    else:
        assert len(parts(open_source(str(folder)))) == count


@pytest.mark.parametrize("above", ["", "in", "in/deep"])
@pytest.mark.parametrize("below", ["", "specs", "specs/all"])
def test_globs_begin_at_the_folder_of_the_configuration(above: str, below: str, tmp_path: Path) -> None:
    """The source is the folder `in/deep`; the configuration is above it or below."""
    repo = Repo(tmp_path / "repo")
    top = "in/deep"
    inside = f"{below}/" if below else ""
    for path in PATHS:
        repo.write(f"{top}/{inside}{path}", request())
    config = f"{top}/{below}".rstrip("/") if above == top else above
    prefix = f"{top}/{inside}".removeprefix(f"{config}/" if config else "")
    text = TABLES.replace('"a"', f'"{prefix}a"').replace('"b"', f'"{prefix}b"')
    repo.write(f"{config}/wirebook.toml" if config else "wirebook.toml", text)
    repo.commit()
    for source in (open_source(str(repo.folder / top)), open_source(f"{repo.folder}@main:{top}")):
        texts = source.texts()
        assert [(part.name, [text.path for text in part.texts]) for part in parts_of(source, texts)] == [
            ("one", [f"{inside}{PATHS[0]}"]),
            ("rest", [f"{inside}{PATHS[2]}"]),
            ("two", [f"{inside}{PATHS[1]}"]),
        ]
        held = held_by(source, [text.path for text in texts])
        assert held is not None
        assert held.claims("one", f"{inside}a/Gone.json")
        assert not held.claims("one", f"{inside}b/Gone.json")
        assert held.claims("rest", "elsewhere.json") is True
        part, takes = chosen_part(source, texts, "two", "it")
        assert part.name == "two"
        assert [takes(f"{inside}{path}") for path in ("a/X.json", "b/X.json", "both/X.json", "c/X.json")] == [
            False, True, True, False,
        ]  # fmt: skip


def test_one_of_several_is_chosen_by_name() -> None:
    several = [("", 0), ("one", 1), ("two", 2)]
    assert (chosen([("", 5)], None, "it"), chosen([("one", 5)], None, "it")) == (5, 5)
    assert chosen(several, "two", "it") == 2
    assert listed(name for name, _ in several) == "one, two"
    for name, words in (
        (None, "there are several protocols in it: one, two; choose one with --protocol"),
        ("x", 'there is no protocol "x" in it; it has one, two'),
        ("", 'there is no protocol "" in it; it has one, two'),
    ):
        with pytest.raises(InputError) as caught:
            chosen(several, name, "it")
        assert str(caught.value) == words
    with pytest.raises(InputError, match="it has one protocol; leave --protocol out"):
        chosen([("", 0)], "one", "it")


def test_a_source_with_one_protocol_takes_every_path(tmp_path: Path) -> None:
    source = open_source(str(lay(tmp_path, {PATHS[0]: request()})))
    part, takes = chosen_part(source, source.texts(), None, "it")
    assert (part.name, takes("anything")) == ("", True)
    assert embedded_profile(KAFKA).name == "kafka"
