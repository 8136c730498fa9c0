"""New specs and versions through the functions that commands call: names, keys, folders, levels, texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo, request, response
from wirebook.rules.authoring.beginning import BeginRequest, Begun, begin
from wirebook.rules.authoring.opening import OpenedVersion, OpenRequest, open_version
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.problems import InputError

BOM = b"\xef\xbb\xbf"
DATA = {"type": "data", "name": "Memo", "validVersions": "0", "flexibleVersions": "0+", "fields": []}
ENTRY = {"version": 0, "added": "1.0-L0", "about": "The first version."}
SEVERAL = """
[[protocol]]
name = "one"
paths = ["one"]

[[protocol]]
name = "two"
paths = ["two"]
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.spec(request(), "specs")
    made.spec(response(), "specs")
    return made


def refused(call: Any, asked: object) -> tuple[str, str | None]:
    with pytest.raises(InputError) as error:
        call(asked)
    return error.value.message, error.value.path


def test_a_pair_is_named_after_its_api(repo: Repo) -> None:
    for key, (name, api) in enumerate(
        [("Put", "Put"), ("GetRequest", "Get"), ("HasResponse", "Has"), ("Request", "Request")], 2
    ):
        files = (f"specs/{api}Request.json", f"specs/{api}Response.json")
        assert begin(BeginRequest("request", name, repo.folder)) == Begun(files, key)
        assert [json.loads((repo.folder / file).read_text())["apiKey"] for file in files] == [key, key]


def test_a_message_has_a_description_to_write(repo: Repo) -> None:
    paths = [begin(BeginRequest(kind, "Put", repo.folder)).files for kind in ("request", "data")]
    texts = [json.loads((repo.folder / path).read_text()).get("about") for files in paths for path in files]
    assert texts == ["TODO: what the API is for.", None, "TODO: what the message is for."]
    # Kafka's generator refuses the key.
    repo.write("specs/profile.toml", 'extends = "kafka"\n')
    (path,) = begin(BeginRequest("data", "Other", repo.folder)).files
    assert "about" not in json.loads((repo.folder / path).read_text())


def test_a_record_keeps_its_name_and_has_no_key(repo: Repo) -> None:
    for name in ("Memo", "MemoRequest", "X"):
        assert begin(BeginRequest("data", name, repo.folder)) == Begun((f"specs/{name}.json",), None)
    assert "apiKey" not in (repo.folder / "specs/Memo.json").read_text()


@pytest.mark.parametrize("name", ["", "memo", "Me-mo", "Mémo", "Memo\n", "9", "A.B", "Memo\x1b[1m"])
def test_other_names_are_refused(repo: Repo, name: str) -> None:
    for kind in ("request", "data"):
        said, path = refused(begin, BeginRequest(kind, name, repo.folder))
        assert said.endswith('" is not a name such as PlaceOrder: letters and digits, the first a capital')
        assert path is None
        assert "\x1b" not in said


def test_a_key_is_never_above_the_highest_one(repo: Repo) -> None:
    repo.spec(request(name="LastRequest", apiKey=32766), "specs")
    assert begin(BeginRequest("request", "Put", repo.folder)).api_key == 32767
    assert refused(begin, BeginRequest("request", "Get", repo.folder)) == (
        "there is no API key above 32767",
        None,
    )
    assert begin(BeginRequest("data", "Memo", repo.folder)).api_key is None


def test_a_name_is_taken_in_any_case(repo: Repo) -> None:
    assert refused(begin, BeginRequest("data", "FETCHResponse", repo.folder / "specs")) == (
        "FetchResponse already exists",
        "FetchResponse.json",
    )


def test_a_new_spec_is_beside_those_of_its_type(repo: Repo) -> None:
    for number in range(3):
        repo.spec({**DATA, "name": f"Memo{number}"}, "records")
    (repo.folder / "docs").mkdir()
    assert begin(BeginRequest("data", "Note", repo.folder)).files == ("records/Note.json",)
    assert begin(BeginRequest("request", "Put", repo.folder / "docs")).files == (
        "../specs/PutRequest.json",
        "../specs/PutResponse.json",
    )


HOME = """
message_types = ["event", "push-log"]
keyed_types = ["event"]
listeners = ["hub"]

[suffixes]
request = "Command"
response = "Reply"
event = "Event"
"""


def test_the_first_specs_are_in_messages_or_where_the_settings_say(tmp_path: Path) -> None:
    for name, settings, folder in (
        ("bare", None, "messages"),
        ("named", 'paths = ["*.json", "proto/v1/"]\n', "proto/v1"),
        ("globs", 'paths = ["proto/**/*.json"]\n', "proto"),
    ):
        home = Repo(tmp_path / name)
        home.write("profile.toml", HOME)
        if settings is not None:
            home.write("wirebook.toml", settings)
        begun = begin(BeginRequest("request", "OpenDoor", home.folder))
        assert begun == Begun((f"{folder}/OpenDoorCommand.json", f"{folder}/OpenDoorReply.json"), 0)
        made = json.loads((home.folder / begun.files[0]).read_text())
        assert (made["type"], made["name"], made["listeners"]) == ("request", "OpenDoorCommand", ["hub"])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("wirebook.toml", 'paths = ["messages/*/x"]\n'),
        ("wirebook.toml", 'exclude = ["messages"]\n'),
        ("wirebook.toml", 'paths = ["build"]\n'),
        (".gitignore", "messages/\n"),
    ],
)
def test_a_spec_is_not_written_where_no_command_reads_it(path: str, text: str, tmp_path: Path) -> None:
    home = Repo(tmp_path / "home")
    home.write(path, text)
    before = sorted(home.folder.iterdir())
    message, place = refused(begin, BeginRequest("request", "OpenDoor", home.folder))
    assert message.startswith("it is not written, because no command would read it there: ")
    assert place in ("messages/OpenDoorRequest.json", "build/OpenDoorRequest.json")
    assert sorted(home.folder.iterdir()) == before


def test_a_spec_is_not_written_through_a_link(tmp_path: Path) -> None:
    home, outside = Repo(tmp_path / "home"), tmp_path / "outside"
    outside.mkdir()
    (home.folder / "messages").symlink_to(outside)
    _, place = refused(begin, BeginRequest("request", "OpenDoor", home.folder))
    assert place == "messages/OpenDoorRequest.json"
    assert list(outside.iterdir()) == []


def test_a_message_type_of_the_profile_has_its_ending_and_its_own_keys(tmp_path: Path) -> None:
    home = Repo(tmp_path / "home")
    home.write("profile.toml", HOME)
    begin(BeginRequest("request", "OpenDoorCommand", home.folder))
    begin(BeginRequest("request", "CloseDoorReply", home.folder))
    for key, (name, file) in enumerate((("Opened", "OpenedEvent"), ("ClosedEvent", "ClosedEvent"))):
        assert begin(BeginRequest("event", name, home.folder)) == Begun((f"messages/{file}.json",), key)
        made = json.loads((home.folder / f"messages/{file}.json").read_text())
        assert (made["type"], made["apiKey"], made["name"]) == ("event", key, file)
    assert begin(BeginRequest("push-log", "Line", home.folder)) == Begun(("messages/Line.json",), None)
    assert refused(begin, BeginRequest("evnt", "Opened", home.folder)) == (
        '"evnt" is not a kind of message here: write one of request, data, header, event, push-log; '
        "message_types of the profile adds others",
        None,
    )
    opened = open_version(OpenRequest("OpenDoor", home.folder))
    assert opened.files == ("messages/OpenDoorCommand.json", "messages/OpenDoorReply.json")


def test_a_header_has_the_versions_and_fields_of_the_profile(tmp_path: Path) -> None:
    home = Repo(tmp_path / "home")
    fields = '[headers.fields]\napi_key = "Kind"\napi_version = "Release"\ncorrelation_id = "Sequence"\n'
    home.write(
        "profile.toml", f"{HOME}[headers]\nrequest = [1, 3]\nresponse = [2, 2]\nevent = [0, 1]\n{fields}"
    )
    every = [("Kind", "int16"), ("Release", "int16"), ("Sequence", "int32")]
    headers = {
        "RequestHeader": ("1-3", "3+", every),
        "ResponseHeader": ("2", "none", [("Sequence", "int32")]),
        "EventHeader": ("0-1", "1+", every),
    }
    for name, (valid, flexible, named) in headers.items():
        assert begin(BeginRequest("header", name, home.folder)) == Begun((f"messages/{name}.json",), None)
        text = (home.folder / f"messages/{name}.json").read_text()
        made = json.loads(text)
        assert (made["type"], made["name"]) == ("header", name)
        assert (made["validVersions"], made["flexibleVersions"]) == (valid, flexible)
        assert [(field["name"], field["type"]) for field in made["fields"]] == named
        pairs = [field["about"] for field in made["fields"] if field["name"] == "Sequence"]
        assert ["with its request" in text for text in pairs] == [name != "EventHeader"]
    assert refused(begin, BeginRequest("header", "PushHeader", home.folder)) == (
        '"PushHeader" is not the name of a header here: write one of RequestHeader, ResponseHeader, '
        "EventHeader",
        None,
    )
    bare = Repo(tmp_path / "bare")
    begin(BeginRequest("header", "ResponseHeader", bare.folder))
    made = json.loads((bare.folder / "messages/ResponseHeader.json").read_text())
    assert (made["validVersions"], made["flexibleVersions"]) == ("0-1", "1+")
    assert made["fields"][0]["about"].startswith("TODO")


@pytest.mark.parametrize(
    ("others", "profile", "listeners"),
    [
        ([["a"], ["b"], ["b"]], '["x"]', ["b"]),
        ([["b", "a"]], '["x"]', ["b", "a"]),
        ([None, None, ["a"]], '["x"]', None),
        ([], '["x", "y"]', ["x"]),
        ([], "[]", None),
        ([], None, None),
    ],
)
def test_a_request_has_the_listeners_of_most(
    tmp_path: Path, others: list[list[str] | None], profile: str | None, listeners: list[str] | None
) -> None:
    repo = Repo(tmp_path / "other")
    repo.spec(DATA, "specs")
    if profile is not None:
        repo.write("profile.toml", f"listeners = {profile}\n")
    for number, words in enumerate(others):
        repo.spec(request(name=f"A{number}Request", apiKey=number, listeners=words), "specs")
    files = begin(BeginRequest("request", "Put", repo.folder)).files
    made = [json.loads((repo.folder / file).read_text()) for file in files]
    assert [each.get("listeners") for each in made] == [listeners, None]


def test_a_history_begins_only_where_specs_have_one(repo: Repo) -> None:
    begin(BeginRequest("request", "Put", repo.folder))
    assert "history" not in (repo.folder / "specs/PutRequest.json").read_text()
    repo.spec(request(history=[ENTRY]), "specs")
    assert begin(BeginRequest("data", "Memo", repo.folder)).api_key is None
    without = 'keeps a "history", but there is no registry of protocol levels beside the specs'
    for levels in (None, "[]"):
        if levels is not None:
            repo.write("specs/api_versions.json", levels)
        assert refused(begin, BeginRequest("request", "Get", repo.folder / "specs")) == (
            without,
            "FetchRequest.json",
        )
    known = [{"id": n, "version": f"1.{n}-L0", "release": f"1.{n}"} for n in range(3)]
    repo.write("specs/api_versions.json", json.dumps(known))
    begin(BeginRequest("request", "Get", repo.folder))
    for half in ("Request", "Response"):
        made = json.loads((repo.folder / f"specs/Get{half}.json").read_text())
        assert made["history"] == [{"version": 0, "added": "1.2-L0", "about": "The first version."}]


def several(repo: Repo) -> None:
    repo.write("wirebook.toml", SEVERAL)
    for place, key in (("one", 5), ("two", 7)):
        repo.spec(request(apiKey=key), place)
        repo.spec(response(apiKey=key), place)
    repo.spec(request(name="DiveRequest", apiKey=9), "two")
    repo.git("add", "-A")


def test_of_several_protocols_one_is_chosen(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "several")
    several(repo)
    here = Workspace.here(repo.folder)
    assert [(part.name, len(part.texts)) for part in here.parts] == [("one", 2), ("two", 3)]
    assert here.having("Dive").name == "two"
    assert here.having("DiveRequest").name == "two"
    assert here.having("Fetch").name is None
    assert here.having("Memo").name is None
    assert Workspace.here(repo.folder, "one").having("Dive").name == "one"
    assert begin(BeginRequest("request", "Put", repo.folder, "one")) == Begun(
        ("one/PutRequest.json", "one/PutResponse.json"), 6
    )
    assert begin(BeginRequest("data", "Memo", repo.folder, "two")).files[0].startswith("two/")
    assert open_version(OpenRequest("Dive", repo.folder)) == OpenedVersion(3, ("two/DiveRequest.json",), None)
    said, _ = refused(open_version, OpenRequest("Fetch", repo.folder))
    assert said.startswith("there are several protocols in the specs here: one, two; choose one with")
    assert open_version(OpenRequest("Fetch", repo.folder, "two")).files == (
        "two/FetchRequest.json",
        "two/FetchResponse.json",
    )
    assert '"0-2"' in (repo.folder / "one/FetchRequest.json").read_text()


@pytest.mark.parametrize("name", ["Fetch", "FetchRequest", "fetchresponse", "1"])
def test_both_halves_get_the_next_version(repo: Repo, name: str) -> None:
    assert open_version(OpenRequest(name, repo.folder / "specs")) == OpenedVersion(
        3, ("FetchRequest.json", "FetchResponse.json"), None
    )
    for half in ("Request", "Response"):
        assert json.loads((repo.folder / f"specs/Fetch{half}.json").read_text())["validVersions"] == "0-3"


def test_a_version_of_a_record_is_opened_alone(repo: Repo) -> None:
    repo.spec(DATA, "specs")
    assert open_version(OpenRequest("Memo", repo.folder)) == OpenedVersion(1, ("specs/Memo.json",), None)
    # Links beside it that are called like halves of an API are none of its.
    for half in ("Request", "Response"):
        (repo.folder / f"specs/Memo{half}.json").symlink_to("nowhere")
    assert open_version(OpenRequest("Memo", repo.folder)).version == 2


def test_a_half_that_is_alone_may_have_no_link_for_the_other(repo: Repo) -> None:
    (repo.folder / "specs/FetchResponse.json").unlink()
    assert open_version(OpenRequest("Fetch", repo.folder)) == OpenedVersion(
        3, ("specs/FetchRequest.json",), None
    )
    (repo.folder / "specs/FetchResponse.json").symlink_to("../elsewhere")
    assert refused(open_version, OpenRequest("Fetch", repo.folder)) == (
        "this is a link: open the version where the file is",
        "specs/FetchResponse.json",
    )


def test_halves_of_other_versions_are_named_with_them(repo: Repo) -> None:
    repo.spec(response(validVersions="1-4"), "specs")
    assert refused(open_version, OpenRequest("Fetch", repo.folder)) == (
        "the halves of this API end at different versions: FetchRequest 2 and FetchResponse 4",
        "specs/FetchRequest.json",
    )


@pytest.mark.parametrize("mark", [b"", BOM])
def test_a_byte_order_mark_stays(repo: Repo, mark: bytes) -> None:
    place = repo.folder / "specs" / "FetchRequest.json"
    before = mark + place.read_bytes()
    place.write_bytes(before)
    open_version(OpenRequest("Fetch", repo.folder))
    assert place.read_bytes() == before.replace(b'"0-2"', b'"0-3"')


def test_a_level_is_that_of_the_registry_above(repo: Repo) -> None:
    repo.spec(request(history=[ENTRY]), "specs")
    known = [{"id": n, "version": f"1.{n}-L0", "release": f"1.{n}"} for n in range(2)]
    repo.write("api_versions.json", json.dumps(known))
    assert open_version(OpenRequest("Fetch", repo.folder)).level == "1.1-L0"
    repo.spec(DATA, "specs")
    assert open_version(OpenRequest("Memo", repo.folder)).level is None
