"""The complete repository in examples/otter: it passes the check, and shows what the format has."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.examples import OTTER
from tests.repositories import FOLDER, Repo, broken, started
from wirebook.api import load
from wirebook.cli.main import main
from wirebook.specs.codec import decode, encode
from wirebook.specs.layout import layouts
from wirebook.specs.model import Message


@pytest.fixture(params=["", "examples/otter"])
def otter(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The example in a repository of its own, and among the examples of another one."""
    repo = started(tmp_path / "repo") if request.param else Repo(tmp_path / "repo")
    if request.param:
        # A folder of the same name, which is not that of the example.
        repo.spec(broken(), folder="specs/messages")
        repo.git("rm", "-rq", FOLDER)
    folder = repo.folder / request.param
    shutil.copytree(
        OTTER, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build", "site")
    )
    repo.commit()
    # The commit that brings the settings is judged by those before it.
    repo.commit()
    monkeypatch.chdir(folder)
    return repo


def test_the_check_has_no_finding_and_sees_a_break(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--all"]) == 0
    # What no settings claim is judged as well.
    assert re.search("no findings; [78] messages checked", capsys.readouterr().out)
    place = Path("messages/OpenSessionRequest.json")
    text = place.read_text()
    for old, new, rule in (
        ('"entityType": "deviceId"', '"entityType": "devceId"', "bad-entity-type"),
        ('["gateway", "edge"]', '["gateway", "egde"]', "unknown-listener"),
        ('"name": "Token", "type": "bytes"', '"name": "Token", "type": "string"', "type-"),
        ('"0-3"', '"0-4"', "version-without-note"),
    ):
        place.write_text(text.replace(old, new, 1))
        main(["check"])
        assert rule in capsys.readouterr().out
    place.write_text(text)
    hello = Path("messages/HelloRequest.json")
    deprecated = '"deprecatedVersions": "0",\n  "flexibleVersions"'
    hello.write_text(hello.read_text().replace('"flexibleVersions"', deprecated))
    assert main(["check"]) == 1
    assert "api-versions-deprecated" in capsys.readouterr().out


def test_an_author_goes_on_from_there(otter: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bump", "SendReadings"]) == 0
    assert main(["new", "request", "CloseSession"]) == 0
    assert "CloseSessionResponse.json, API key 3" in capsys.readouterr().out
    assert '"listeners": ["gateway"]' in Path("messages/CloseSessionRequest.json").read_text()


def messages() -> tuple[Message, ...]:
    return load(OTTER).messages


def test_it_shows_what_the_format_has() -> None:
    found = messages()
    assert [message.name for message in found if message.type == "data"] == ["StoredReadingData"]
    assert all(len(message.valid_versions) > 1 and message.flexible_versions for message in found)
    assert any(message.deprecated_versions for message in found)
    fields = [field for message in found for field in message.fields]
    assert any(field.tag is not None for field in fields)
    assert any(
        field.is_struct and not field.is_array and field.nullable_versions for field in fields
    )
    profile = found[0].profile
    assert (profile.server, profile.listeners) == ("gateway", ("gateway", "edge"))
    assert profile.negotiation is not None
    assert profile.links
    assert (OTTER / profile.site.logo).is_file()


def test_every_version_is_encoded_and_decoded_again() -> None:
    found = [layout for message in messages() for layout in layouts(message)]
    assert len(found) == 22
    for each in found:
        data = encode(each, {})
        assert encode(each, decode(each, data)) == data


def test_nothing_of_it_is_kafkas() -> None:
    texts = [
        path.read_text(encoding="utf-8") for path in sorted(OTTER.rglob("*")) if path.is_file()
    ]
    named = [text for text in texts if "kafka" in text.lower() or "broker" in text.lower()]
    # The README says what the example is not.
    assert [text.splitlines()[0] for text in named] == ["# Otter"]


def test_its_site_is_built_from_the_profile_alone(tmp_path: Path) -> None:
    """Without its mkdocs.yml, as from the folder above it."""
    shutil.copytree(OTTER, tmp_path / "otter", ignore=shutil.ignore_patterns("build", "site"))
    (tmp_path / "otter" / "mkdocs.yml").unlink()
    folder = str(tmp_path / "otter")
    options = ["--site-dir", str(tmp_path / "site"), "--catalog", str(tmp_path / "catalog")]
    assert main(["build", folder, *options]) == 0
    assert "Otter protocol" in (tmp_path / "site" / "index.html").read_text()
