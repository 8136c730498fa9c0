"""Which profile judges a change: that of the old side, whatever the change says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, api_versions, request
from tests.rules.check.gate import check

OWN = "protocol/messages"


def deprecated() -> dict[str, object]:
    return api_versions("request", deprecatedVersions="0", listeners=["gateway"])


@pytest.fixture
def otter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository of a protocol that is not Kafka's, with a message that has API key 18."""
    repo = Repo(tmp_path / "otter")
    repo.spec({**api_versions("request", listeners=["gateway"]), "name": "DiveRequest"}, OWN)
    repo.spec({**api_versions("response"), "name": "DiveResponse"}, OWN)
    repo.commit("first")
    monkeypatch.chdir(repo.folder)
    return repo


def narrow(repo: Repo) -> None:
    repo.spec({**deprecated(), "name": "DiveRequest"}, OWN)


def test_without_a_profile_nothing_is_kafkas(otter: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    narrow(otter)
    code, out = check(capsys, "--all")
    assert code == 0, out
    assert "api-versions-deprecated" not in out
    assert "unknown-listener" not in out


@pytest.mark.parametrize("place", ["profile.toml", "protocol/profile.toml", f"{OWN}/profile.toml"])
def test_the_profile_beside_the_specs_counts(
    place: str, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write(place, '[negotiation]\nname = "Dive"\napi_key = 18\n')
    otter.commit("profile")
    narrow(otter)
    code, out = check(capsys)
    assert code == 1
    assert "DiveRequest deprecates its version 0: clients rely on every version of Dive" in " ".join(
        out.split()
    )


@pytest.mark.parametrize("file", ["wirebook.toml", "pyproject.toml"])
@pytest.mark.parametrize("staged", [False, True])
def test_the_profile_of_the_configuration_counts(
    file: str, staged: bool, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    above = "tool.wirebook." if file == "pyproject.toml" else ""
    otter.write(file, f'[{above}protocol]\nlisteners = ["gateway"]\n')
    otter.commit("profile")
    otter.spec({**api_versions("request", listeners=["gatway"]), "name": "DiveRequest"}, OWN)
    otter.git("add", "-A")
    code, out = check(capsys, *(["--staged"] if staged else []))
    assert code == 1
    assert 'DiveRequest names the listener "gatway", which does not exist' in out
    assert 'write "gateway"' in out


@pytest.mark.parametrize("change", ["edit", "delete", "other"])
def test_a_change_cannot_edit_the_profile_that_judges_it(
    change: str, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    place = otter.write(f"{OWN}/profile.toml", '[negotiation]\nname = "Dive"\napi_key = 18\n')
    otter.commit("profile")
    otter.git("checkout", "-q", "-b", "feature")
    narrow(otter)
    if change == "delete":
        place.unlink()
    else:
        otter.write(f"{OWN}/profile.toml", 'name = "other"\n' if change == "other" else "")
    for arguments in ([], ["--against", "HEAD"]):
        code, out = check(capsys, *arguments)
        assert (code, "api-versions-deprecated" in out) == (1, True)
    otter.git("add", "-A")
    code, out = check(capsys, "--staged")
    assert (code, "api-versions-deprecated" in out) == (1, True)


def test_a_message_type_and_its_first_message_are_one_change(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    event = {"apiKey": 0, "type": "event", "name": "DoorOpenedEvent", "validVersions": "0"}
    spec = {**event, "flexibleVersions": "none", "fields": []}
    types = 'message_types = ["event"]\nkeyed_types = ["event"]\n'
    otter.write(f"{OWN}/profile.toml", f'{types}[suffixes]\nevent = "Event"\n[headers]\nevent = [1, 2]\n')
    otter.commit("without a profile before")
    otter.write(f"{OWN}/profile.toml", 'name = "otter"\n')
    otter.commit("a profile without types")
    otter.git("checkout", "-q", "-b", "feature")
    otter.write(f"{OWN}/profile.toml", f'{types}[suffixes]\nevent = "Event"\n[headers]\nevent = [1, 2]\n')
    otter.spec(spec, OWN)
    otter.spec({**spec, "name": "DoorClosedEvent"}, OWN)
    otter.git("add", "-A")
    for arguments in ([], ["--staged"], ["--against", "HEAD", "--all"]):
        code, out = check(capsys, *arguments)
        assert code == 1
        assert "unknown-message-type" not in out
        # The keys of the new type are known, too.
        assert "error[duplicate-api-key]" in out
    otter.spec({**spec, "apiKey": 1, "name": "DoorClosedEvent"}, OWN)
    otter.git("add", "-A")
    assert check(capsys, "--staged")[0] == 0


def test_a_profile_outside_of_the_repository_is_not_read(
    otter: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outside.toml").write_text('"secret words" = 1\n')
    (otter.folder / OWN / "profile.toml").symlink_to(tmp_path / "outside.toml")
    narrow(otter)
    code, out = check(capsys)
    assert code == 2
    assert f"{OWN}/profile.toml: this is outside the repository" in out


def test_a_profile_in_a_change_of_kafkas_specs_does_not_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = Repo(tmp_path / "kafka")
    repo.spec(api_versions("request"))
    repo.write("wirebook.toml", '[protocol]\nextends = "kafka"\n')
    repo.commit("first")
    monkeypatch.chdir(repo.folder)
    repo.write("wirebook.toml", '[protocol]\nname = "none"\n')
    repo.spec(api_versions("request", deprecatedVersions="0"))
    code, out = check(capsys)
    assert (code, "api-versions-deprecated" in out) == (1, True)
    assert "this change edits the profile of the protocol" in out


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("folder", [FOLDER, "somewhere/else"])
def test_kafkas_profile_is_stated(
    staged: bool,
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    repo = Repo(tmp_path / "kafka")
    repo.spec(request(), folder)
    for kind in ("request", "response"):
        repo.spec(api_versions(kind), folder)
    repo.commit("first")
    monkeypatch.chdir(repo.folder)
    repo.spec(request(listeners=["brokr"]), folder)
    repo.git("add", "-A")
    options = ["--staged"] if staged else []
    assert "unknown-listener" not in check(capsys, *options)[1]
    repo.spec(request(), folder)
    repo.write("wirebook.toml", '[protocol]\nextends = "kafka"\n')
    repo.commit("profile")
    repo.spec(request(listeners=["brokr"]), folder)
    repo.git("add", "-A")
    code, out = check(capsys, *options)
    assert (code, "unknown-listener" in out) == (1, True)


def test_what_is_wrong_with_a_profile_stops_the_check(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("profile.toml", 'name = "otter"\nlisteners = 3\n')
    narrow(otter)
    code, out = check(capsys)
    assert code == 2
    assert 'profile.toml:2:1: "listeners" must be a list of strings' in out


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (None, "[headers]\nrequest = [5, 6]\n", "gives messages other headers"),
        ("[headers]\nrequest = [5, 6]\n", "[headers]\nrequest = [7, 8]\n", "gives messages other headers"),
        ("frame_length = 2\n", None, "gives messages other headers"),
        ('server = "node"\n', 'server = "hub"\n', "edits the profile of the protocol"),
        ('extends = "base.toml"\n', 'extends = "base.toml"\n', "edits the profile of the protocol"),
        ('server = "node"\n', '# The same.\nserver = "node"\n', ""),
    ],
)
def test_a_change_of_the_profile_beside_the_specs_is_said(
    before: str | None, after: str | None, said: str, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    place = otter.folder / OWN / "profile.toml"
    if before is not None:
        place.write_text(before)
        otter.write(f"{OWN}/base.toml", 'client = "app"\n')
    otter.commit("before")
    otter.git("checkout", "-q", "-b", "feature")
    otter.write(f"{OWN}/base.toml", 'client = "driver"\n')
    if after is None:
        place.unlink()
    else:
        place.write_text(after)
    breaks = said == "gives messages other headers"
    assert "this change " not in check(capsys, "--staged")[1]
    otter.git("add", "-A")
    for arguments in ([], ["--against", "HEAD"], ["--staged"]):
        code, out = check(capsys, *arguments)
        assert (code, "header-version-changed" in out) == (int(breaks), breaks), out
        assert ("this change " in out) == bool(said)
        assert not said or f"this change {said}" in " ".join(out.split())
        assert not said or f"({OWN}/profile.toml)" in out


def test_each_profile_is_compared_with_itself(otter: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    otter.write(f"{OWN}/profile.toml", "[headers]\nrequest = [5, 6]\n")
    otter.spec({**api_versions("request"), "name": "SwimRequest"}, "another/messages")
    otter.write("another/messages/profile.toml", 'server = "node"\n')
    (otter.folder / "package").mkdir()
    (otter.folder / "package" / "protocol").symlink_to("../protocol")
    otter.commit("profile")
    otter.git("checkout", "-q", "-b", "feature")
    otter.write("docs/a.txt", "a")
    otter.commit("docs")
    code, out = check(capsys, "--against", "HEAD~1")
    assert (code, "this change" in out) == (0, False), out
    otter.write("another/messages/profile.toml", 'server = "hub"\n')
    out = " ".join(check(capsys, "--against", "HEAD~1")[1].split())
    assert out.count("this change") == 1
    assert "edits the profile of the protocol (another/messages/profile.toml)" in out


HEADERS = "[headers]\nrequest = [5, 6]\n"
OTHERS = {
    "another header": (HEADERS, "[headers]\nrequest = [5, 7]\n"),
    "an exception": (
        HEADERS,
        f'{HEADERS}exceptions = [{{ type = "request", api_key = 18, versions = "0+", header = 9 }}]\n',
    ),
    "no profile": (HEADERS, None),
    "another length": ("frame_length = 2\n", "frame_length = 4\n"),
    "what it extends": ('extends = "base.toml"\n', 'extends = "base.toml"\n'),
}


def with_other_headers(repo: Repo, case: str, place: str = "protocol/profile.toml") -> None:
    """A branch on which nothing but the headers of released messages changes."""
    before, after = OTHERS[case]
    repo.write(place, before)
    base = repo.write(f"{place.rpartition('/')[0] or '.'}/base.toml", HEADERS)
    repo.commit("profile")
    repo.git("checkout", "-q", "-b", "feature")
    base.write_text("[headers]\nrequest = [5, 8]\n")
    if after is None:
        (repo.folder / place).unlink()
    else:
        repo.write(place, after)


@pytest.mark.share(3)
@pytest.mark.parametrize("how", ["working tree", "--staged", "range", "folders", "commits"])
@pytest.mark.parametrize("case", OTHERS)
def test_other_headers_of_the_profile_break_every_message(
    case: str, how: str, otter: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with_other_headers(otter, case)
    arguments: list[str] = []
    if how == "--staged":
        otter.git("add", "-A")
        arguments = ["--staged"]
    elif how != "working tree":
        otter.commit("other headers")
        arguments = ["--against", "HEAD~1..HEAD"]
        if how == "folders":
            otter.git("worktree", "add", "-q", str(tmp_path / "before"), "HEAD~1")
            arguments = ["--old", str(tmp_path / "before" / "protocol"), "--new", "./protocol"]
        elif how == "commits":
            arguments = ["--old", "git:HEAD~1", "--new", "git:HEAD"]
        if how != "folders":
            # What lies in the working tree is no part of either side.
            otter.write("protocol/profile.toml", OTHERS[case][0])
            otter.write("protocol/base.toml", HEADERS)
    code, out = check(capsys, *arguments)
    if case == "no profile" and how in ("folders", "commits"):
        # A folder of specs may have come without its profile.
        assert (code, "header-version-changed" in out) == (0, False), out
        return
    assert (code, "header-version-changed" in out) == (1, True), out
    said = (
        "the length before DiveRequest is 4 bytes instead of 2"
        if "length" in case
        else "DiveRequest has header"
    )
    assert said in " ".join(out.split())
    assert ("DiveResponse" in out) == ("length" in case)


def test_another_length_is_one_finding_where_the_profile_has_it(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("protocol/profile.toml", 'server = "hub"\nframe_length = 2\n')
    otter.commit("profile")
    otter.git("checkout", "-q", "-b", "feature")
    otter.write("protocol/profile.toml", 'server = "hub"\n\nframe_length = 4\n')
    code, out = check(capsys, "--format", "json")
    (finding,) = json.loads(out)["findings"]
    assert (code, finding["rule"]) == (1, "header-version-changed")
    place, before = finding["location"], finding["previous"]
    assert (place["path"], place["line"], place["column"]) == ("protocol/profile.toml", 3, 1)
    assert (before["path"], before["line"], before["column"]) == ("protocol/profile.toml", 2, 1)
    code, out = check(capsys)
    assert (code, out.count("error[")) == (1, 1)
    for name in ("DiveRequest", "DiveResponse"):
        assert name in out


@pytest.mark.parametrize("after", ["[headers]\nevent = [0, 2]\n", ""], ids=["another header", "no header"])
def test_other_headers_of_a_type_without_api_keys(
    after: str, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """A message needs no API key to have a header: the direction may show what it is."""
    spec = {"type": "event", "name": "DoorOpenedEvent", "validVersions": "0", "flexibleVersions": "none"}
    types = 'message_types = ["event"]\n'
    otter.write("protocol/profile.toml", f"{types}[headers]\nevent = [1, 2]\n")
    otter.spec({**spec, "fields": []}, OWN)
    otter.commit("an event with a header")
    otter.git("checkout", "-q", "-b", "feature")
    otter.write("protocol/profile.toml", f"{types}{after}")
    otter.git("add", "-A")
    for arguments in ([], ["--staged"]):
        code, out = check(capsys, *arguments)
        assert (code, "error[header-version-changed] DoorOpenedEvent" in out) == (1, True), out
        assert "nothing was compared" not in out


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("file", ["wirebook.toml", "pyproject.toml"])
def test_other_headers_of_the_configuration_break_every_message(
    file: str, staged: bool, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    above = "tool.wirebook." if file == "pyproject.toml" else ""
    otter.write(file, f"[{above}protocol.headers]\nrequest = [5, 6]\n")
    otter.commit("profile")
    otter.git("checkout", "-q", "-b", "feature")
    otter.write(file, f"[{above}protocol.headers]\nrequest = [5, 7]\n")
    otter.git("add", "-A")
    code, out = check(capsys, *(["--staged"] if staged else []))
    assert (code, "DiveRequest has header 7 instead of 6" in out) == (1, True), out


@pytest.mark.parametrize("place", ["protocol/profile.toml", "wirebook.toml"])
@pytest.mark.parametrize(("headers", "changed"), [("[5, 6]", True), ("[1, 2]", False)])
def test_without_a_profile_messages_have_the_default_headers(
    place: str, headers: str, changed: bool, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.git("checkout", "-q", "-b", "feature")
    above = "protocol." if place == "wirebook.toml" else ""
    otter.write(place, f"[{above}headers]\nrequest = {headers}\n")
    code, out = check(capsys)
    assert (code, "DiveRequest has header 6 instead of 2" in out) == (int(changed), changed), out
    otter.git("tag", "1.0.0", "HEAD")
    assert check(capsys, "--released", "1.0.0")[0] == int(changed)
    # The profile may be right about peers: the fix is then a waiver.
    assert ("accept this once: wirebook check --waive" in " ".join(out.split())) == changed


def test_specs_that_move_below_a_first_profile(otter: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    otter.write("another/profile.toml", HEADERS)
    otter.commit("the profile of nothing")
    otter.git("checkout", "-q", "-b", "feature")
    otter.git("mv", OWN, "another/messages")
    for arguments in ((), ("--all",), ("--staged",)):
        code, out = check(capsys, *arguments)
        assert (code, "DiveRequest has header 6 instead of 2" in out) == (1, True), out


def test_a_released_message_returns_with_other_headers(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("profile.toml", "[headers]\nrequest = [1, 2]\n")
    otter.commit()
    otter.git("tag", "1.0.0")
    otter.git("rm", "-q", "-r", OWN)
    otter.commit()
    otter.git("checkout", "-q", "1.0.0", "--", OWN)
    code, out = check(capsys, "--against", "HEAD", "--released", "1.0.0")
    assert (code, "header" in out) == (0, False), out
    otter.write("profile.toml", "[headers]\nrequest = [3, 4]\n")
    code, out = check(capsys, "--against", "HEAD", "--released", "1.0.0")
    assert (code, "DiveRequest has header 3 instead of 1" in " ".join(out.split())) == (1, True), out


def test_a_release_of_a_merged_branch_has_the_headers_that_come_with_it(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("profile.toml", "[headers]\nrequest = [1, 2]\n")
    otter.commit()
    otter.git("checkout", "-q", "-b", "other")
    otter.write("profile.toml", "[headers]\nrequest = [3, 4]\n")
    otter.git("mv", f"{OWN}/DiveRequest.json", f"{OWN}/SwimRequest.json")
    otter.spec({**api_versions("request", listeners=["gateway"]), "name": "SwimRequest", "apiKey": 7}, OWN)
    otter.git("rm", "-q", f"{OWN}/DiveResponse.json")
    otter.commit()
    otter.git("tag", "1.0.0")
    otter.git("checkout", "-q", "main")
    otter.git("merge", "-q", "--no-ff", "-m", "merge", "other")
    otter.git("branch", "-q", "-D", "other")
    code, out = check(capsys, "--released", "1.0.0")
    assert "against the first parent of HEAD" in out
    assert (code, "SwimRequest" in out) == (0, False), out


def test_specs_that_move_to_a_profile_of_other_headers(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("protocol/profile.toml", HEADERS)
    otter.write("another/profile.toml", "[headers]\nrequest = [5, 7]\n")
    otter.commit("profiles")
    otter.git("checkout", "-q", "-b", "feature")
    otter.git("mv", OWN, "another/messages")
    code, out = check(capsys)
    assert (code, "DiveRequest has header 7 instead of 6" in out) == (1, True), out


def test_a_message_that_keeps_its_headers_is_not_judged(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {**api_versions("request"), "name": "DiveRequest", "headerVersions": {"0+": "6"}}
    otter.spec(own, OWN)
    with_other_headers(otter, "another header")
    code, out = check(capsys)
    assert (code, "header-version-changed" in out) == (0, False), out


def test_a_range_has_the_profile_of_its_new_side(otter: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    otter.git("checkout", "-q", "-b", "feature")
    otter.write("docs.txt", "a")
    otter.commit("docs")
    otter.write("protocol/profile.toml", "this is no profile")
    narrow(otter)
    code, out = check(capsys, "--against", "HEAD~1..")
    assert code == 0, out


@pytest.mark.parametrize("where", ["old", "new", "here"])
def test_of_two_sources_the_configuration_of_their_folders_counts(
    where: str, otter: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    narrow(otter)
    for side in ("old", "new"):
        (tmp_path / side / "messages").mkdir(parents=True)
        for kind in ("Request", "Response"):
            text = (otter.folder / OWN / f"Dive{kind}.json").read_text()
            if side == "old":
                text = text.replace('"deprecatedVersions"', '"x-deprecated"')
            (tmp_path / side / "messages" / f"Dive{kind}.json").write_text(text)
    profile = '[protocol.negotiation]\nname = "Dive"\napi_key = 18\n'
    place = otter.folder if where == "here" else tmp_path / where
    (place / "wirebook.toml").write_text(profile)
    if where != "here":
        (otter.folder / "wirebook.toml").write_text('[protocol.negotiation]\nname = "Swim"\napi_key = 19\n')
    code, out = check(capsys, "--old", str(tmp_path / "old"), "--new", str(tmp_path / "new"))
    assert (code, "api-versions-deprecated" in out) == (1, True), out


def test_before_the_first_release_a_profile_and_its_messages_are_one_change(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("profile.toml", 'name = "door"\n')
    otter.write("wirebook.toml", 'released = "none"\n')
    otter.commit("begin")
    otter.git("checkout", "-q", "-b", "feature")
    otter.git("rm", "-qr", OWN)
    profile = '[suffixes]\nrequest = "Command"\nresponse = "Reply"\n[headers]\nrequest = [3, 3]\n'
    otter.write("profile.toml", profile)
    otter.spec({**api_versions("request"), "name": "OpenCommand", "apiKey": 5}, OWN)
    otter.spec({**api_versions("response"), "name": "OpenReply", "apiKey": 5}, OWN)
    otter.git("add", "-A")
    for arguments in (["--all"], ["--staged"]):
        code, out = check(capsys, *arguments)
        assert (code, "names-differ" in out) == (0, False), out
        assert "note: this change gives messages other headers (profile.toml)" in out
    otter.git("tag", "v1.0.0", "main")
    code, out = check(capsys)
    assert (code, "message-deleted" in out) == (1, True), out


def test_each_side_names_its_messages_by_its_own_endings(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("profile.toml", 'name = "otter"\n')
    otter.write("wirebook.toml", 'released = ["v*"]\n')
    otter.commit("released")
    otter.git("tag", "v1.0.0")
    otter.write("profile.toml", 'name = "otter"\n[suffixes]\nresponse = "Reply"\n')
    for arguments in ([], ["--all"]):
        code, out = check(capsys, "--against", "HEAD", *arguments)
        assert (code, "rename it to DiveReply" in out) == (1, True), out
    otter.git("rm", "-q", f"{OWN}/DiveResponse.json")
    otter.spec({**api_versions("response"), "name": "DiveReply"}, OWN)
    for arguments in ([], ["--all"]):
        code, out = check(capsys, "--against", "HEAD", *arguments)
        assert (code, "names-differ" in out) == (0, False), out


def test_a_change_cannot_declare_that_nothing_is_released(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("profile.toml", '[negotiation]\nname = "Dive"\napi_key = 18\n')
    otter.commit("profile")
    otter.git("checkout", "-q", "-b", "feature")
    narrow(otter)
    otter.write("profile.toml", 'name = "other"\n')
    otter.write("wirebook.toml", 'released = "none"\n')
    code, out = check(capsys)
    assert (code, "api-versions-deprecated" in out) == (1, True), out


def header(name: str, versions: str, *fields: str) -> dict[str, object]:
    return {
        "type": "header", "name": name, "validVersions": versions, "flexibleVersions": "none",
        "fields": [{"name": field, "type": "int16", "versions": "0+", "about": "It is."} for field in fields],
    }  # fmt: skip


SEALED = "[headers]\nrequest = [1, 2]\nresponse = [0, 1]\n"


@pytest.fixture
def seal(otter: Repo) -> Repo:
    """The protocol of `otter`, with specs of its headers."""
    otter.spec(header("RequestHeader", "1-2", "kind", "revision"), OWN)
    otter.spec(header("ResponseHeader", "0-1", "sequence"), OWN)
    otter.write("profile.toml", f'{SEALED}fields = {{ api_key = "kind", api_version = "revision" }}\n')
    otter.commit("headers")
    return otter


def test_a_header_field_that_no_header_has_is_an_error_at_its_place_in_the_profile(
    seal: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = check(capsys, "--all")
    assert (code, "unknown-header" in out) == (0, False), out
    seal.write("profile.toml", f'{SEALED}fields = {{ api_key = "kindx", api_version = "revision" }}\n')
    for arguments in ([], ["--all"]):
        code, out = check(capsys, *arguments)
        assert code == 1
        assert "error[unknown-header]" in out
        assert 'api_key of the headers is the field "kindx", which no header has' in out
        assert "--> profile.toml:4:12" in out
        assert 'write "kind"' in out
    seal.commit("wrong field")
    assert check(capsys, "--against", "HEAD")[0] == 0
    code, out = check(capsys, "--against", "HEAD", "--all")
    assert (code, "--> profile.toml:4:12" in out) == (1, True)


def test_a_field_that_the_header_specs_lose_is_an_error(
    seal: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    seal.spec(header("RequestHeader", "1-2", "kind", "version"), OWN)
    code, out = check(capsys)
    assert code == 1
    assert 'api_version of the headers is the field "revision", which no header has' in out


def test_a_new_api_key_that_the_header_has_no_room_for_is_an_error(
    seal: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    small = header("RequestHeader", "1-2", "kind", "revision")
    for field in small["fields"]:  # type: ignore[attr-defined]
        field["type"] = "int8"
    seal.spec(small, OWN)
    seal.commit("one byte each")
    for half in ("request", "response"):
        spec = api_versions(half, apiKey=300)
        seal.spec({**spec, "name": f"Surface{half.capitalize()}"}, OWN)
    code, out = check(capsys, "--against", "HEAD")
    assert (code, out.count("error[number-beyond-header]")) == (1, 1), out
    assert "API key 300 of SurfaceRequest does not fit kind of RequestHeader, which holds at most 127" in out


@pytest.mark.parametrize(
    ("declared", "place"),
    [(True, f"{OWN}/DiveRequest.json:"), (False, "profile.toml:1:1")],
)
def test_a_header_version_that_the_header_lacks_is_an_error(
    declared: bool, place: str, seal: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    if declared:
        versions = {"0-2": "1", "3+": "3"}
        seal.spec({**api_versions("request", headerVersions=versions), "name": "DiveRequest"}, OWN)
    else:
        seal.write("profile.toml", SEALED.replace("request = [1, 2]", "request = [1, 3]"))
    code, out = check(capsys)
    assert code == 1
    assert "error[unknown-header]" in out
    assert "RequestHeader has no version 3, only 1-2" in out
    assert place in out[out.index("error[unknown-header]") :]


def test_a_place_in_a_profile_is_that_of_the_new_side(seal: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    seal.write("wirebook.toml", 'released = ["v*"]\n')
    seal.commit("released")
    seal.git("tag", "v1.0.0")
    seal.spec(header("RequestHeader", "1", "kind", "revision"), OWN)
    fields = 'fields = { api_key = "kind", api_version = "revision" }\n'
    seal.write("profile.toml", f'title = "Otter"\n\n{SEALED}{fields}')
    code, out = check(capsys, "--against", "HEAD")
    assert (code, "RequestHeader has no version 2, only 1" in out) == (1, True), out
    assert "--> profile.toml:3:1" in out[out.index("error[unknown-header]") :]


@pytest.mark.parametrize("place", ["profile.toml", "wirebook.toml"])
@pytest.mark.parametrize("named", [f"{OWN}/DiveRequest.json", f"{OWN}/DiveResponse.json", OWN])
def test_other_headers_are_reported_for_each_named_message(
    place: str, named: str, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    headers = "{}headers = {{ request = [{}, 2], response = [{}, 1] }}\n"
    table = "" if place == "profile.toml" else "[protocol]\n"
    otter.write(place, headers.format(table, 1, 0))
    otter.commit("profile")
    otter.write(place, headers.format(table, 3, 3))
    code, out = check(capsys, named, "--against", "HEAD")
    kinds = [kind for kind in ("Request", "Response") if named in (OWN, f"{OWN}/Dive{kind}.json")]
    assert code == 1, out
    assert all(f"Dive{kind}" in out for kind in kinds), out


def test_other_headers_are_not_reported_for_a_message_that_is_not_named(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.write("profile.toml", "headers = { request = [1, 2] }\n")
    otter.commit("profile")
    otter.write("profile.toml", "headers = { request = [3, 2] }\n")
    code, out = check(capsys, f"{OWN}/DiveResponse.json", "--against", "HEAD")
    assert (code, "header-version-changed" in out) == (0, False), out
