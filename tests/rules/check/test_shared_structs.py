"""A change of structs that several specs import: judged in all of them, whatever is compared, and
once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo
from tests.rules.check.running import Outcome, Run
from tests.shared_structs import COMMON, ENDPOINT, changed, join, ping, structs


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A release with a file of structs, the two specs that import it, and two others."""
    repo = Repo(tmp_path / "repo")
    repo.write(COMMON, structs(*ENDPOINT))
    for spec in (join("request"), join("response"), ping("request"), ping("response")):
        repo.spec(spec, "messages")
    repo.commit("the specs")
    repo.git("tag", "v1.0.0")
    repo.write("readme", "two")
    repo.commit("another commit")
    return repo


def findings(outcome: Outcome) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(outcome.out)["findings"]
    return found


def only(outcome: Outcome) -> dict[str, Any]:
    """The only finding, which lists both messages."""
    assert outcome.code == 1, outcome.out + outcome.err
    (finding,) = findings(outcome)
    assert (finding["rule"], finding["severity"]) == ("type-changed", "error")
    assert (finding["message_name"], finding["field"], finding["versions"]) == (
        "JoinRequest",
        "Self.Port",
        "0-1",
    )
    (other,) = finding["reached"]
    assert (other["message_name"], other["field"], other["versions"]) == (
        "JoinResponse",
        "Members.Port",
        "0-1",
    )
    assert finding["message"].endswith("; this also applies to JoinResponse 0-1 (Members.Port)")
    return finding


JSON = ("--format", "json")
WAYS = {
    "working tree": (),
    "index": ("--staged",),
    "named file": ("--staged", COMMON),
    "named importer": ("--staged", "messages/JoinResponse.json"),
    "tag": ("--released", "v*"),
    "source": ("--against", ".@v1.0.0"),
    "all": ("--all",),
    "folder": ("--against", "./before"),
    "two sources": ("--old", "v1.0.0", "--new", "./messages"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_change_of_the_shared_file_alone_is_one_finding(repo: Repo, check: Run, way: str) -> None:
    if way == "two sources":
        repo.git("mv", "messages", "specs")
        repo.git("mv", "specs", "messages")
    if way == "folder":
        for path in (repo.folder / "messages").iterdir():
            repo.write(f"../before/messages/{path.name}", path.read_text(encoding="utf-8"))
    repo.write(COMMON, changed(type="int64"))
    repo.git("add", "-A")
    arguments = ("--against", "../before") if way == "folder" else WAYS[way]
    if way == "two sources":
        arguments = ("--old", ".@v1.0.0:messages", "--new", "./messages")
    finding = only(check(repo.folder, *arguments, *JSON))
    assert finding["location"]["path"].endswith("Common.json")
    assert (
        finding["location"]["line"]
        == json.dumps(changed(type="int64"), indent=2).split("int64")[0].count("\n") + 1
    )
    if way == "tag":
        assert finding["released_in"] == finding["reached"][0]["released_in"] == "v1.0.0"


def test_a_change_is_found_between_commits(repo: Repo, check: Run) -> None:
    repo.write(COMMON, changed(type="int64"))
    repo.commit("break")
    only(check(repo.folder, "--against", "HEAD~1..HEAD", *JSON))
    # The releases were read and kept before: what they import is part of what identifies them.
    only(check(repo.folder, "--released", "v*", *JSON))
    only(check(repo.folder, "--released", "v*", *JSON))


def test_each_side_has_its_own_imports(repo: Repo, check: Run) -> None:
    """The working tree may have another file than the index, which is what the next commit has."""
    repo.write(COMMON, changed(type="int64"))
    assert check(repo.folder, "--staged").code == 0
    repo.git("add", "-A")
    repo.write(COMMON, structs(*ENDPOINT))
    only(check(repo.folder, "--staged", *JSON))
    assert check(repo.folder).code == 0


def test_a_named_file_of_structs_names_the_specs_that_import_it(repo: Repo, check: Run) -> None:
    """Also those that differ themselves, and none that imports another file."""
    repo.write("messages/Others.json", structs(ENDPOINT[1], name="Other"))
    keys = {"imports": ["Others.json"], "fields": []}
    fields = [{"name": "Other", "type": "Other", "versions": "0+", "about": "It."}]
    for kind in ("request", "response"):
        repo.spec({**ping(kind), **keys, "fields": fields}, "messages")
    repo.commit()
    repo.write(COMMON, changed(type="int64"))
    repo.write("messages/Others.json", structs({**ENDPOINT[1], "type": "int64"}, name="Other"))
    repo.spec(
        join("request", fields=[{**join("request")["fields"][0], "about": "Somebody."}]), "messages"
    )
    for named, concerned in ((COMMON, "Join"), ("messages/Others.json", "Ping")):
        outcome = check(repo.folder, "--against", "HEAD", "--format", "json", named)
        assert outcome.code == 1
        every = findings(outcome)
        names = {finding["message_name"] for finding in every}
        names |= {other["message_name"] for finding in every for other in finding["reached"]}
        assert names == {f"{concerned}Request", f"{concerned}Response"}


def test_a_removed_struct_is_a_finding_on_each_message(repo: Repo, check: Run) -> None:
    repo.write(COMMON, structs(*ENDPOINT, name="Place"))
    found = findings(check(repo.folder, *JSON))
    assert {each["rule"] for each in found} == {"unknown-type"}
    assert sorted(each["message_name"] for each in found) == ["JoinRequest", "JoinResponse"]


def test_a_removed_field_is_one_finding(repo: Repo, check: Run) -> None:
    repo.write(COMMON, structs(ENDPOINT[0], ENDPOINT[2]))
    (finding,) = findings(check(repo.folder, *JSON))
    assert finding["rule"] == "field-removed-from-released-version"
    assert finding["previous"]["path"] == COMMON
    assert len(finding["reached"]) == 1


def test_a_mistake_in_the_shared_file_is_one_finding(repo: Repo, check: Run) -> None:
    repo.write(COMMON, changed(abuot="x"))
    (finding,) = findings(check(repo.folder, *JSON))
    assert (finding["rule"], finding["field"]) == ("unknown-key", "Endpoint.Port")
    assert finding["location"]["path"] == COMMON
    assert [each["message_name"] for each in finding["reached"]] == ["JoinResponse"]


def test_moving_a_struct_is_no_break(repo: Repo, check: Run) -> None:
    own = join("response", commonStructs=structs(*ENDPOINT)["commonStructs"])
    del own["imports"]
    repo.spec(own, "messages")
    assert check(repo.folder, "--released", "v*").code == 0
    repo.commit("into the message")
    repo.spec(join("response"), "messages")
    repo.git("add", "-A")
    outcome = check(repo.folder, "--released", "v*", "--staged")
    assert outcome.code == 0
    assert "no findings; 1 message checked" in outcome.out


def test_versions_of_a_shared_struct_are_those_of_the_message(repo: Repo, check: Run) -> None:
    """A message without version 1 has no Rack, and nobody complains about it."""
    who = {"name": "Who", "type": "Endpoint", "versions": "0+", "about": "Who."}
    keys = {"apiKey": 3, "validVersions": "0"}
    repo.spec(join("request", **keys, name="PeekRequest", fields=[who]), "messages")
    repo.spec(ping("response") | keys | {"name": "PeekResponse"}, "messages")
    repo.commit("use it")
    assert check(repo.folder, "--all", "--against", "HEAD").code == 0
    added = {"name": "Zone", "type": "string", "versions": "2+", "about": "The zone."}
    repo.write(COMMON, structs(*ENDPOINT, added))
    assert check(repo.folder, "--released", "v*").code == 0
    repo.write(COMMON, structs(*ENDPOINT, {**added, "versions": "1+"}))
    (finding,) = findings(check(repo.folder, "--released", "v*", *JSON))
    # Peek has no version 1.
    names = [finding["message_name"], *(each["message_name"] for each in finding["reached"])]
    assert (finding["versions"], names) == ("1", ["JoinRequest", "JoinResponse"])


def test_a_spec_that_moves_beside_other_structs_is_judged(repo: Repo, check: Run) -> None:
    (repo.folder / "messages" / "sub").mkdir()
    repo.git("mv", "messages/JoinResponse.json", "messages/sub/JoinResponse.json")
    repo.write("messages/sub/Common.json", changed(type="int64"))
    repo.git("add", "-A")
    assert check(repo.folder, "--staged", *JSON).rules == ["type-changed"]


def test_structs_through_another_file(repo: Repo, check: Run) -> None:
    repo.write(
        "messages/parts/Zones.json",
        structs({"name": "Zone", "type": "int8", "versions": "0+"}, name="Zone"),
    )
    repo.write(COMMON, structs(*ENDPOINT, {"name": "Where", "type": "Zone", "versions": "1+"},
                               imports=["parts/Zones.json"]))  # fmt: skip
    repo.commit("nested")
    repo.write(
        "messages/parts/Zones.json",
        structs({"name": "Zone", "type": "int16", "versions": "0+"}, name="Zone"),
    )
    repo.git("add", "-A")
    (finding,) = findings(check(repo.folder, "--staged", *JSON))
    assert (finding["rule"], finding["field"]) == ("type-changed", "Self.Where.Zone")
    assert finding["location"]["path"] == "messages/parts/Zones.json"


def test_a_waiver_accepts_no_further_message(repo: Repo, check: Run) -> None:
    repo.write(COMMON, changed(type="int64"))
    only(check(repo.folder, *JSON))
    waiver = check(repo.folder, "--waive").out
    assert "in JoinResponse 0-1 (Members.Port)" in waiver
    repo.write("waivers.toml", re.sub('(reason|by) = ""', r'\1 = "a test"', waiver))
    assert check(repo.folder).code == 0
    repo.commit("accepted")
    repo.write(COMMON, structs(*ENDPOINT))
    repo.spec({**ping("request"), "imports": ["Common.json"],
               "fields": [{"name": "Who", "type": "Endpoint", "versions": "0+", "about": "Who."}]},
              "messages")  # fmt: skip
    repo.commit("one more")
    repo.write(COMMON, changed(type="int64"))
    assert check(repo.folder).code == 1


def test_two_structs_cannot_have_one_name(repo: Repo, check: Run) -> None:
    own = structs(*ENDPOINT)["commonStructs"]
    repo.spec(join("request", commonStructs=own), "messages")
    found = findings(check(repo.folder, *JSON))
    assert [(each["rule"], each["location"]["path"]) for each in found] == [
        ("duplicate-name", COMMON)
    ]


NO_STRUCTS = 'this is not a file of structs: an object with "type": "structs" and "commonStructs"'


@pytest.mark.parametrize(
    ("path", "content", "line"),
    [
        (COMMON, None, 'messages/JoinRequest.json:8:5: there is no file of structs "Common.json" here'),
        (COMMON, "{", "messages/Common.json:1:2: this is not JSON: expecting property name"),
        (COMMON, '{"type": "struct", "commonStructs": []}', f"messages/Common.json:1:1: {NO_STRUCTS}"),
        (COMMON, '{"type": "structs"}', f"messages/Common.json:1:1: {NO_STRUCTS}"),
        (COMMON, '{"type": "structs", "commonStructs": []} {}', f"messages/Common.json:1:1: {NO_STRUCTS}"),
        ("messages/JoinRequest.json", join("request", imports=["../messages/Common.json"]),
         'messages/JoinRequest.json:8:5: "../messages/Common.json" is not the path of a file in the folder '
         'of this one or below it: "Common.json"'),
        ("messages/JoinRequest.json", join("request", imports=["PingRequest.json"]),
         f"messages/PingRequest.json:1:1: {NO_STRUCTS}"),
    ],
)  # fmt: skip
def test_bad_input_has_one_line_with_its_place(
    repo: Repo, check: Run, path: str, content: object, line: str
) -> None:
    if content is None:
        repo.git("rm", "-q", path)
    else:
        repo.write(path, content)
        repo.git("add", "-A")
    for arguments in ((), ("--staged",)):
        outcome = check(repo.folder, *arguments, *JSON)
        unchecked = json.loads(outcome.out)["unchecked"]
        assert outcome.code == 2
        assert any(each.startswith(line) for each in unchecked), unchecked
        # The error of a shared file is listed once.
        assert len(unchecked) <= (2 if content is None else 1)


def rules_of(outcome: Outcome) -> dict[str, str]:
    assert outcome.err == "", outcome.err
    return {item["rule"]: item["severity"] for item in findings(outcome)}


@pytest.mark.parametrize("text", ["", '"validVersions": "0-1", "name": "PingRequest", '])
@pytest.mark.parametrize("way", [(), ("--staged",), ("--released", "v*"), ("--all",)])
def test_a_message_that_becomes_a_file_of_structs_is_deleted(
    repo: Repo, check: Run, way: tuple[str, ...], text: str
) -> None:
    repo.write("messages/PingRequest.json", f'{{ {text}"type": "structs", "commonStructs": [] }}')
    repo.git("add", "-A")
    outcome = check(repo.folder, *way, *JSON)
    assert outcome.code == 1, outcome.out + outcome.err
    assert rules_of(outcome)["message-deleted"] == "error"


def test_a_file_of_structs_that_becomes_a_message_is_judged(repo: Repo, check: Run) -> None:
    repo.write("messages/Other.json", structs({"name": "Id", "type": "int32", "versions": "0+"}))
    repo.commit("more structs")
    repo.write("messages/Other.json", join("request") | {"name": "OtherRequest", "type": "nosuch"})
    outcome = check(repo.folder, *JSON)
    assert (outcome.code, rules_of(outcome)["bad-value"]) == (1, "error")


def test_the_released_error_is_the_finding_though_an_unreleased_message_has_no_other_cause(
    repo: Repo, check: Run
) -> None:
    repo.write("wirebook.toml", '[severities]\nbad-value = "warning"\n')
    repo.spec(join("request", name="LateRequest", apiKey=7), "messages")
    repo.spec(join("response", name="LateResponse", apiKey=7), "messages")
    repo.commit("an API that no release has")
    host, _, rack = ENDPOINT
    repo.write(COMMON, structs(host, rack))
    for kind in ("request", "response"):
        spec = join(kind)
        spec["fields"][0]["fields"] = 5
        repo.spec(spec, "messages")
    outcome = check(repo.folder, "--against", "HEAD", "--released", "v*", *JSON)
    assert outcome.code == 1, outcome.out + outcome.err
    (removed,) = [item for item in findings(outcome) if item["rule"].startswith("field-removed")]
    assert (removed["severity"], removed["released_in"]) == ("error", "v1.0.0")
    assert {item["message_name"] for item in removed["reached"]} >= {"LateRequest", "LateResponse"}
