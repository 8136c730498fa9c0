"""What goes into the pipeline: which snapshots a source is documented by."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.docgen.histories import repository, text_of
from tests.docgen.site_requests import site_request
from tests.repositories import request, response, started
from wirebook.docgen.catalog.rows import check_addresses
from wirebook.docgen.pipeline.inputs import gather
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.problems import InputError

LEVELS = [{"id": 0, "version": "0.8.0", "release": "0.8.0", "about": "The first."}]
HISTORY = [{"version": number, "added": "0.8.0", "about": "It is there."} for number in range(3)]


@pytest.mark.parametrize(
    ("with_history", "kind"),
    [((), "source"), (("request",), "release"), (("request", "response"), "release")],
)
def test_one_history_suffices_for_a_reference_by_release(
    tmp_path: Path, with_history: tuple[str, ...], kind: str
) -> None:
    (tmp_path / "api_versions.json").write_text(json.dumps(LEVELS))
    for spec in (request(), response()):
        told = {"history": HISTORY} if spec["type"] in with_history else {}
        (tmp_path / f"{spec['name']}.json").write_text(json.dumps({**spec, **told}))
    inputs = gather(site_request(tmp_path))
    assert {snapshot.kind for snapshot in inputs.snapshots} == {kind}
    assert (inputs.registry is not None) == (inputs.levels is not None) == bool(with_history)


def test_a_name_that_is_too_long_for_a_file_is_refused(tmp_path: Path) -> None:
    """The limit of file systems is 255 bytes; each hump adds a hyphen to the address."""
    longest = "Ab" * 80 + "a"
    for name, accepted in ((longest, True), (f"{longest}a", False)):
        path = tmp_path / f"{name[-4:]}Request.json"
        path.write_text(json.dumps({**request(), "name": f"{name}Request"}))
        if accepted:
            gather(site_request(path))
            continue
        line = rf"^{path.name}:1:\d+: the name is too long: it makes an address of 241 bytes, .* 240$"
        with pytest.raises(InputError, match=line):
            gather(site_request(path))


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("0.8/0", 'the protocol levels "0.8-0" and "0.8/0" have the same address, "0.8-0"'),
        ("0.8-0", 'the protocol levels "0.8-0" and "0.8-0" have the same address, "0.8-0"'),
        ("é" * 121, "the name is too long: it makes an address of 242 bytes, and the limit is 240"),
    ],
    ids=["alike", "the same", "too long"],
)
def test_levels_whose_pages_would_replace_each_other_are_refused(
    tmp_path: Path, version: str, reason: str
) -> None:
    levels = [
        {"id": 0, "version": "0.8-0", "release": "0.8.0"},
        {"id": 1, "release": "0.8.1", "version": version},
    ]
    (tmp_path / "api_versions.json").write_text(json.dumps(levels, ensure_ascii=False, indent=1))
    history = [{"version": number, "added": "0.8-0"} for number in range(3)]
    (tmp_path / "FetchRequest.json").write_text(json.dumps({**request(), "history": history}))
    with pytest.raises(InputError, match=rf"^api_versions\.json:7:\d+: {reason}$"):
        gather(site_request(tmp_path))


def test_releases_whose_pages_would_replace_each_other_are_refused(tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    repo.spec(request())
    repo.commit("first")
    repo.git("tag", "1.0-rc-a")
    repo.git("tag", "1.0-rc+a")
    assert len(gather(site_request(repo.folder, repo.folder, "1.0-rc-*")).snapshots) == 1
    reason = 'the releases "1.0-rc-a" and "1.0-rc+a" have the same address, "1.0-rc-a"'
    with pytest.raises(InputError, match=rf"^{re.escape(f'{repo.folder}: {reason}')}$"):
        gather(site_request(repo.folder, repo.folder, "1.0*"))


def test_addresses_that_differ_in_case_are_one_file_on_some_systems() -> None:
    check_addresses("releases", [("v1.0", None), ("w1.0", None)], "here")
    with pytest.raises(
        InputError, match=r'^here: the releases "v1.0" and "V1.0" have the same address, "V1.0"$'
    ):
        check_addresses("releases", [("v1.0", None), ("V1.0", None)], "here")


def test_a_source_whose_names_are_no_identifiers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "FetchRequest.json").write_text(json.dumps({**request(), "name": "<b>Request"}))
    with pytest.raises(InputError, match=r'the message name "<b>Request" is not a CamelCase identifier'):
        gather(site_request(tmp_path))


@pytest.mark.parametrize("release", ["1.0.0", "1.1.0", "1.1.1", "other"])
def test_a_source_that_is_the_newest_release_is_no_snapshot_of_its_own(tmp_path: Path, release: str) -> None:
    """The newest release is often a patch release."""
    specs = {
        name: {"FooRequest.json": {**request(), "validVersions": valid}}
        for name, valid in (("1.0.0", "0-1"), ("1.1.0", "0-2"), ("1.1.1", "0-3"), ("other", "0-4"))
    }
    history = repository({name: dict(files) for name, files in specs.items() if name != "other"})
    (tmp_path / "FooRequest.json").write_bytes(text_of(specs[release]["FooRequest.json"]))
    snapshots = gather(site_request(tmp_path, history, "*")).snapshots
    assert (snapshots[-1].kind == "source") == (release in ("1.0.0", "other"))


def test_the_settings_say_which_tags_are_pre_releases() -> None:
    files = {"FooRequest.json": request()}
    history = repository({name: dict(files) for name in ("1.0.0-beta", "1.1.0-beta", "1.2.0")})
    (history / "wirebook.toml").write_text("prerelease = []\n")
    workspace = Workspace.open(history, None)
    snapshots = gather(replace(site_request(None, history, "*"), workspace=workspace)).snapshots
    assert [(each.name, each.predecessor, each.trunk) for each in snapshots] == [
        ("1.0.0-beta", None, True),
        ("1.1.0-beta", 0, True),
        ("1.2.0", 1, True),
    ]
