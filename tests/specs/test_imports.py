"""Files of structs: what a spec imports is part of its text, in every kind of source."""

from __future__ import annotations

import json
import pickle
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.repositories import Repo
from tests.shared_structs import COMMON, ENDPOINT, join, structs
from tests.sources import texts_at, texts_of
from wirebook.cli.main import main
from wirebook.docgen.catalog.spec_texts import SpecText
from wirebook.specs.discovery import is_structs
from wirebook.specs.imports import imported
from wirebook.specs.layout import layout
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reader import read_message


def texts(**files: object) -> list[SpecText]:
    """Files by name, as a source finds them."""
    return [
        SpecText(
            f"{name}.json",
            content if isinstance(content, bytes) else json.dumps(content).encode(),
            "",
        )
        for name, content in files.items()
    ]


def read(files: list[SpecText]) -> Message:
    """The only spec among some files, with what it imports."""
    text_at = {file.path: file.text for file in files}
    (text,) = (file for file in files if not is_structs(file.text))
    imports = imported(text.text, text.path, text_at.get)
    return read_message(text.text, text.path, imports)


def error(files: list[SpecText]) -> str:
    with pytest.raises(InputError) as raised:
        read(files)
    return str(raised.value)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "repo")
    repo.write(COMMON, structs(*ENDPOINT))
    repo.spec(join("request"), "messages")
    repo.commit()
    repo.git("tag", "1.0.0")
    return repo


@pytest.mark.parametrize("kind", ["directory", "commit", "zip", "tar"])
def test_every_source_reads_what_its_specs_import(repo: Repo, tmp_path: Path, kind: str) -> None:
    files = [COMMON, "messages/JoinRequest.json"]
    if kind == "zip":
        with zipfile.ZipFile(tmp_path / "specs.zip", "w") as archive:
            for name in files:
                archive.write(repo.folder / name, name)
    if kind == "tar":
        with tarfile.open(tmp_path / "specs.tar.gz", "w:gz") as packed:
            for name in files:
                packed.add(repo.folder / name, name)
    source = {
        "directory": str(repo.folder),
        "commit": f"{repo.folder}@1.0.0",
        "zip": str(tmp_path / "specs.zip"),
        "tar": str(tmp_path / "specs.tar.gz"),
    }[kind]
    (text,) = texts_of(source)
    message = read_message(text.text, text.path, text.imports)
    assert [field.path for field in layout(message, 1).walk()] == [
        "Self",
        "Self.Host",
        "Self.Port",
        "Self.Rack",
    ]
    assert [Path(path).name for path in text.imports] == ["Common.json"]


def test_a_spec_has_another_digest_if_it_imports_something_else(repo: Repo) -> None:
    before = texts_at(repo.folder, "HEAD")
    repo.write(COMMON, structs(*ENDPOINT[:2]))
    repo.commit()
    repo.git("tag", "2.0.0")
    after = texts_at(repo.folder, "HEAD")
    assert texts_at(repo.folder, "1.0.0") == before
    assert (
        [each.path for each in before]
        == [each.path for each in after]
        == ["messages/JoinRequest.json"]
    )
    assert before[0].digest != after[0].digest
    assert before[0].text == after[0].text
    assert before[0].imports != after[0].imports


def test_positions_are_in_the_file_that_has_them() -> None:
    message = read(texts(Common=structs(*ENDPOINT), JoinRequest=join("request")))
    (struct,) = message.common_structs
    assert struct.path == "Common.json"
    at = struct.fields[1].written.at("type")
    assert (at.path, at.line) == ("Common.json", 1)
    assert message.fields[0].written.at().path == "JoinRequest.json"
    orders = [field.written.order for field in (*message.fields, *struct.fields)]
    assert len({*orders, message.written.order, struct.written.order}) == 6
    again = pickle.loads(pickle.dumps(message))
    assert again.common_structs[0].fields[1].written.at("type") == at
    assert again.common_structs[0].fields[1].written.at("type").path == "Common.json"


def test_what_was_not_read_is_an_error() -> None:
    with pytest.raises(
        InputError, match=r"JoinRequest.json:1:\d+: what this spec imports was not read with it"
    ):
        read_message(json.dumps(join("request")), "JoinRequest.json")


def test_a_wrong_value_in_an_imported_file_has_its_place() -> None:
    wrong = structs({**ENDPOINT[0], "versions": "x"})
    assert error(texts(Common=wrong, JoinRequest=join("request"))).startswith(
        'Common.json:1:136: "x" is not'
    )


@pytest.mark.parametrize(
    "name", ["/Common.json", "a/../Common.json", "..\\Common.json", "./Common.json", "Common", ""]
)
def test_paths_stay_in_the_folder(name: str) -> None:
    assert error(texts(Common=structs(), JoinRequest=join("request", imports=[name]))).startswith(
        "JoinRequest.json:1:"
    )


def test_bump_writes_the_spec_without_what_it_imports(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.spec(join("response"), "messages")
    monkeypatch.chdir(repo.folder)
    before = (repo.folder / COMMON).read_bytes()
    assert main(["bump", "Join"]) == 0
    written = json.loads(
        (repo.folder / "messages" / "JoinRequest.json").read_text(encoding="utf-8")
    )
    assert written["validVersions"] == "0-2"
    assert (repo.folder / COMMON).read_bytes() == before
