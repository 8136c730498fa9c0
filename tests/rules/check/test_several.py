"""Several protocols in one repository: each is judged by itself and by its own profile."""

from __future__ import annotations

import json
import shutil

import pytest
from jsonschema import Draft202012Validator

from tests.repositories import Repo, api_versions, request, response
from tests.rules.check.gate import check
from tests.rules.check.several import CONFIG, KAFKA, OTTER, dive
from tests.rules.formats.showing import schema


def settled(repo: Repo, config: str) -> None:
    """The configuration of the branch that changes go to."""
    repo.git("checkout", "-q", "main")
    repo.write("wirebook.toml", config)
    repo.commit("configuration")
    repo.git("checkout", "-q", "-B", "feature")


def test_api_keys_are_unique_within_a_protocol(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = check(capsys, "--all")
    assert (code, "[kafka]" in out, "[otter]" in out) == (0, True, True), out
    settled(both, "")
    code, out = check(capsys, "--all")
    assert code == 1
    assert "duplicate-api-key" in out


@pytest.mark.parametrize("staged", [False, True])
def test_each_has_its_own_profile(both: Repo, capsys: pytest.CaptureFixture[str], staged: bool) -> None:
    both.spec(dive("request", deprecatedVersions="0"), OTTER)
    both.spec(api_versions("request", deprecatedVersions="0"), KAFKA)
    both.git("add", "-A")
    code, out = check(capsys, *(["--staged"] if staged else []))
    assert code == 1
    assert out.count("error[api-versions-deprecated]") == 1
    assert f"{KAFKA}/ApiVersionsRequest.json" in out
    assert "DiveRequest" not in out.replace("[otter]", "")
    both.spec(dive("request", listeners=["broker"]), OTTER)
    both.spec(api_versions("request"), KAFKA)
    both.git("add", "-A")
    code, out = check(capsys, *(["--staged"] if staged else []))
    assert 'DiveRequest names the listener "broker", which does not exist' in " ".join(out.split())
    assert "[kafka]" not in out


def test_a_message_is_compared_within_its_protocol(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    (both.folder / KAFKA / "FetchRequest.json").unlink()
    code, out = check(capsys)
    assert code == 1
    assert "message-deleted" in out


def test_a_finding_names_its_protocol_in_json(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (KAFKA, OTTER):
        (both.folder / folder / "FetchRequest.json").unlink()
    code, out = check(capsys, "--format", "json")
    document = json.loads(out)
    Draft202012Validator(schema("findings")).validate(document)
    protocols = {each["protocol"] for each in document["findings"] if each["rule"] == "message-deleted"}
    assert (code, protocols) == (1, {"kafka", "otter"})


def test_a_file_that_moves_to_another_protocol_is_deleted_from_its_own(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in ("Request", "Response"):
        (both.folder / OTTER / f"Dive{kind}.json").rename(both.folder / KAFKA / f"Dive{kind}.json")
    code, out = check(capsys)
    assert code == 1
    assert "DiveRequest" in out
    assert "message-deleted" in out
    assert "duplicate-api-key" in out


@pytest.mark.parametrize("folder", [OTTER, KAFKA])
def test_what_cannot_be_read_counts_in_each_protocol(
    folder: str, both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    for other in (OTTER, KAFKA):
        spec = both.folder / other / "FetchResponse.json"
        spec.write_text(f"// Renewed.\n{spec.read_text()}")
    both.spec(request(name="OtherRequest", apiKey=7, listeners=["gateway"]), folder)
    (both.folder / folder / "OtherRequest.json").rename(both.folder / folder / "Fetchrequest.json")
    both.git("add", "-A")
    code, out = check(capsys, "--staged")
    assert f"{folder}/Fetchrequest.json: this is the same path as" in " ".join(out.split())
    assert code == 2


def test_two_protocols_may_not_claim_one_file(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    both.write("wirebook.toml", CONFIG.replace('"vendor/kafka/**"', '"vendor", "proto/messages/Dive*"'))
    both.commit("claims")
    both.spec(dive("request", fields=[]), OTTER)
    code, out = check(capsys)
    assert code == 2
    words = 'proto/messages/DiveRequest.json belongs to two protocols: "otter" claims it, and so does "kafka"'
    assert f"wirebook.toml:8:20: {words}" in out


def test_what_none_claims_is_of_the_protocol_without_paths_or_by_itself(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    both.spec({**dive("request"), "name": "SwimRequest"}, "extra")
    both.spec({**dive("response"), "name": "SwimResponse"}, "extra")
    code, out = check(capsys)
    assert code == 0, out
    assert "no [[protocol]] claims extra/SwimRequest.json and 1 more" in out
    settled(both, CONFIG.replace('paths = ["proto/messages"]\n', ""))
    code, out = check(capsys, "--all")
    assert code == 1
    assert "duplicate-api-key" in out
    assert "no [[protocol]] claims" not in out


def test_a_glob_that_matches_no_spec_is_named(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    settled(both, CONFIG.replace('"vendor/kafka/**"', '"vendor/kafka/**", "vendor/kafak"'))
    words = 'note: wirebook.toml:8:29: "vendor/kafak" of the protocol "kafka" matches no spec\n'
    code, out = check(capsys, "--all")
    assert (code, out.count("matches no spec")) == (0, 1), out
    assert words in out
    # A check of a change does not list all specs.
    assert "matches no spec" not in check(capsys)[1]
    settled(both, CONFIG)
    assert "matches no spec" not in check(capsys, "--all")[1]
    settled(both, 'exclude = ["/vendor/kafka"]\n' + CONFIG)
    words = '"vendor/kafka/**" of the protocol "kafka" matches no spec that is not excluded'
    assert words in " ".join(check(capsys, "--all")[1].split())


def test_a_change_does_not_decide_which_protocol_judges_it(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    both.write("wirebook.toml", CONFIG.replace('profile = "kafka"\n', "").replace("vendor/kafka/**", "other"))
    both.spec(api_versions("request", deprecatedVersions="0"), KAFKA)
    both.commit("narrow")
    code, out = check(capsys)
    assert code == 1
    assert "api-versions-deprecated" in out
    assert "this change edits the protocols of this repository ([[protocol]])" in out


def test_a_change_may_bring_a_protocol(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    both.write(
        "wirebook.toml", CONFIG + '[[protocol]]\nname = "newt"\npaths = ["newt"]\nlisteners = ["pond"]\n'
    )
    for kind in ("request", "response"):
        both.spec({**dive(kind), "name": f"Newt{kind.capitalize()}"}, "newt")
    both.commit("newt")
    code, out = check(capsys)
    assert "[newt]" in out
    assert 'NewtRequest names the listener "gateway", which does not exist' in " ".join(out.split())
    assert "duplicate-api-key" not in out
    assert code == 1


def test_the_releases_of_each_are_its_own(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    both.git("tag", "1.0")
    both.spec(request(validVersions="0-2", fields=[]), KAFKA)
    both.spec(request(listeners=["gateway"], validVersions="0-3"), OTTER)
    both.spec(response(validVersions="0-3"), OTTER)
    code, out = check(capsys, "--released", "1.0")
    assert code == 1
    assert "field-removed-from-released-version" in out
    assert f"{OTTER}/FetchRequest.json" not in out


NEWT = CONFIG + '[[protocol]]\nname = "newt"\npaths = ["newt"]\n'


def newt(repo: Repo, **changed: object) -> None:
    """The messages of a third protocol."""
    for kind in ("request", "response"):
        spec = dive(kind, **changed, name=f"Newt{kind.capitalize()}")
        spec.pop("listeners", None)
        repo.spec(spec, "newt")


def test_a_protocol_that_no_release_has_is_new(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    settled(both, f'released = ["v*"]\n{CONFIG}')
    both.git("tag", "v1.0.0")
    both.write("wirebook.toml", f'released = ["v*"]\n{NEWT}')
    newt(both)
    both.git("add", "-A")
    code, out = check(capsys, "--staged")
    assert (code, "note: newt: in no release yet" in out) == (0, True), out
    both.commit("newt")
    code, out = check(capsys, "--against", "HEAD^")
    assert (code, "note: newt: in no release yet" in out) == (0, True), out
    # Until it is released, its versions may change.
    newt(both, fields=[])
    code, out = check(capsys, "--against", "HEAD")
    assert "released: nothing yet" in out
    both.commit("fewer fields")
    both.git("tag", "v1.1.0")
    newt(both)
    code, out = check(capsys, "--against", "HEAD")
    assert (code, "in no release yet" in out) == (1, False), out
    assert "field-added-to-released-version" in out


def test_a_glob_that_no_tag_matches_is_an_error_for_a_new_protocol_too(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    both.write("wirebook.toml", NEWT)
    newt(both)
    both.commit("newt")
    code, out = check(capsys, "--released", "v*")
    assert (code, "--released v*: no tag matches it" in out) == (2, True), out


def test_a_released_spec_stays_in_the_protocol_that_its_release_names(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    settled(both, f'released = ["v*"]\n{CONFIG}')
    both.git("tag", "v1.0.0")
    both.git("mv", OTTER, "otter")
    settled(both, f'released = ["v*"]\n{CONFIG.replace(OTTER, "otter")}')
    both.spec(dive("request", fields=[]), "otter")
    both.spec(dive("response"), "otter")
    code, out = check(capsys)
    assert (code, "in no release yet" in out) == (1, False), out
    assert "field-removed-from-released-version" in out


WIDE = '[[protocol]]\nname = "otter"\npaths = ["messages"]\nlisteners = ["gateway"]\n'
ANCHORED = WIDE.replace('"messages"', '"/messages"') + '[[protocol]]\nname = "newt"\npaths = ["/newt"]\n'


@pytest.fixture
def wide(both: Repo) -> Repo:
    """A protocol whose paths, a bare name, match folders of others too."""
    both.git("mv", OTTER, "messages")
    both.git("rm", "-rqf", "vendor")
    settled(both, WIDE)
    return both


def newt_messages(repo: Repo) -> None:
    for kind in ("request", "response"):
        spec = dive(kind, name=f"Newt{kind.capitalize()}", fields=[])
        spec.pop("listeners", None)
        repo.spec(spec, "newt/messages")


def test_paths_are_corrected_before_specs_are_added(wide: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    settled(wide, WIDE)
    wide.git("tag", "v1.0.0")
    newt_messages(wide)
    wide.write("wirebook.toml", ANCHORED)
    code, out = check(capsys)
    assert (code, "duplicate-api-key" in out, "[newt]" in out) == (1, True, False), out
    wide.git("rm", "-rqf", "--cached", "--ignore-unmatch", "newt")
    shutil.rmtree(wide.folder / "newt")
    settled(wide, ANCHORED)
    newt_messages(wide)
    code, out = check(capsys)
    assert (code, "[newt]" in out, "[[protocol]] claims" in out) == (0, True, False), out


def test_a_released_protocol_is_not_new_because_its_folder_moved_before_it_had_tables(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    both.git("mv", OTTER, "messages")
    both.git("rm", "-rqf", "vendor")
    setting = 'released = ["v*"]\n'
    settled(both, setting)
    both.git("tag", "v1.0.0")
    both.git("mv", "messages", "otter")
    settled(both, setting)
    settled(both, setting + '[[protocol]]\nname = "otter"\npaths = ["/otter"]\nlisteners = ["gateway"]\n')
    both.spec(dive("request", listeners=["gateway"], fields=[]), "otter")
    code, out = check(capsys)
    assert "in no release yet" not in out
    assert (code, "no message specs in these releases" in out) == (2, True), out


def test_a_release_without_specs_makes_no_protocol_new(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    both.git("mv", OTTER, "messages")
    both.git("rm", "-rqf", "vendor")
    settled(both, WIDE)
    texts = {path: path.read_bytes() for path in (both.folder / "messages").iterdir()}
    both.git("rm", "-rqf", "messages")
    settled(both, WIDE)
    both.git("tag", "v0.1.0")
    (both.folder / "messages").mkdir()
    for path, text in texts.items():
        path.write_bytes(text)
    settled(both, 'released = ["v*"]\n' + WIDE)
    both.spec(dive("request", listeners=["gateway"], fields=[]), "messages")
    code, out = check(capsys)
    assert ("in no release yet" in out, code) == (False, 2), out


@pytest.mark.parametrize("released", ["v*", "none"])
def test_a_released_spec_that_returns_does_not_change_its_protocol(
    released: str, wide: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    setting = f'released = "{released}"\n'
    settled(wide, setting + WIDE)
    newt_messages(wide)
    for name in ("DiveRequest", "DiveResponse"):
        (wide.folder / f"messages/{name}.json").unlink()
    settled(wide, setting + WIDE)
    wide.git("tag", "v1.0.0")
    wide.git("rm", "-rqf", "newt")
    settled(wide, setting + WIDE)
    newt_messages(wide)
    wide.spec(
        dive("request", name="NewtRequest", listeners=["gateway"], fields=[], validVersions="0-9"),
        "newt/messages",
    )
    wide.write("wirebook.toml", setting + ANCHORED)
    code, out = check(capsys)
    assert (code, "[newt]" in out, "[otter]" in out) == (1, False, True), out


def test_an_old_spec_does_not_move_to_another_protocol(
    wide: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    newt_messages(wide)
    for name in ("DiveRequest", "DiveResponse"):
        (wide.folder / f"messages/{name}.json").unlink()
    settled(wide, WIDE)
    wide.write("wirebook.toml", ANCHORED)
    wide.git("mv", "newt/messages", "newt/specs")
    code, out = check(capsys)
    assert (code, out.count("error[message-deleted]")) == (1, 2), out


def test_tables_that_a_change_adds_apply_from_the_next_one_on(
    wide: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    settled(wide, "")
    wide.write("wirebook.toml", ANCHORED)
    newt(wide)
    wide.spec(dive("request", fields=[], validVersions="0-4"), "extra")
    code, out = check(capsys, "--all")
    words = " ".join(out.split())
    assert code == 1
    first = (
        "the [[protocol]] tables of this change apply to messages/DiveRequest.json and 3 more from the next"
    )
    assert f"note: {first} change on" in words
    assert "note: no [[protocol]] claims extra/DiveRequest.json: judged as a separate protocol" in words


def test_a_waiver_holds_for_the_message_that_it_names(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    both.spec(request(listeners=["gateway"], latestVersionUnstable=False), OTTER)
    both.spec(request(fields=request()["fields"][1:]), KAFKA)
    both.write(
        "waivers.toml",
        '[[waiver]]\nrule = "field-removed-from-released-version"\nmessage = "FetchRequest"\n'
        'field = "MaxWaitMs"\nversions = "0-2"\nreason = "x"\nby = "y"\n'
        'change = "removed: name MaxWaitMs, type int32, versions 0+, place first"\n',
    )
    code, out = check(capsys)
    assert code == 0, out
    assert "stale-waiver" not in out


def test_a_waiver_of_a_cause_covers_nothing_in_another_protocol(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both protocols have FetchRequest, and only one of them reports the cause."""
    both.git("checkout", "-q", "main")
    override = f'[[override]]\npaths = ["{KAFKA}"]\nseverities = {{ lowest-version-raised = "off" }}\n'
    both.write("wirebook.toml", f"{CONFIG}{override}")
    both.commit()
    both.git("checkout", "-q", "-b", "next")
    for folder in (OTTER, KAFKA):
        path = both.folder / folder / "FetchRequest.json"
        path.write_text(path.read_text().replace('"validVersions": "0-2"', '"validVersions": "1-2"'))
    waiver = '[[waiver]]\nrule = "lowest-version-raised"\nmessage = "FetchRequest"\nversions = "0"\n'
    both.write("waivers.toml", f'{waiver}change = "validVersions: 0-2 -> 1-2"\nreason = "x"\nby = "y"\n')
    code, out = check(capsys)
    assert code == 1
    assert out.count("error[partner-versions-differ] FetchResponse") == 1


@pytest.mark.parametrize("name", [f"{OTTER}/DiveRequest.json", "proto"])
def test_a_named_file_is_judged_in_its_protocol(
    name: str, both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    both.spec(api_versions("request", deprecatedVersions="0"), KAFKA)
    both.spec(dive("request", listeners=["broker"]), OTTER)
    code, out = check(capsys, name)
    assert code == 1
    assert "unknown-listener" in out
    assert "api-versions-deprecated" not in out


def test_nothing_that_differs_is_no_error(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys)[0] == 0
    both.write("README.md", "x")
    # What no protocol claims, and is no spec, is nothing to report.
    both.write("package.json", "{}")
    both.write("vendor/kafka/package.json", "{}")
    code, out = check(capsys)
    assert (code, "claims" in out) == (0, False), out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[protocol]]\npaths = ["x"]\n', 'wirebook.toml:1:1: a protocol needs a "name"'),
        ('[[protocol]]\nname = "Ä"\n', 'wirebook.toml:2:1: a protocol needs a "name"'),
        ('[[protocol]]\nname = "a"\npath = ["x"]\n', 'wirebook.toml:3:1: there is no key "path" here'),
        ('[[protocol]]\nname = "a"\npaths = []\n', 'wirebook.toml:3:1: "paths" is empty'),
        ('[[protocol]]\nname = "a"\npaths = 3\n', 'wirebook.toml:3:1: "paths" must be a list of strings'),
        (
            '[[protocol]]\nname = "a"\n[[protocol]]\nname = "a"\npaths = "x"\n',
            'wirebook.toml:4:1: there are two protocols "a"',
        ),
        (
            '[[protocol]]\nname = "a"\n[[protocol]]\nname = "b"\n',
            'wirebook.toml:3:1: name the "paths" of "b"',
        ),
        ('[[protocol]]\nname = "a"\nprofile = "kafak"\n', 'wirebook.toml:3:11: there is no profile "kafak"'),
        (
            '[[protocol]]\nname = "a"\nprofile = "x.toml"\n',
            'wirebook.toml:3:11: there is no profile "x.toml"',
        ),
        (
            '[[protocol]]\nname = "a"\nprofile = "kafka"\nserver = "x"\n',
            'wirebook.toml:4:1: "server" belongs in the profile',
        ),
        ("protocol = [3]\n", "wirebook.toml:1:13: write [[protocol]] above each of them"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    text: str, words: str, both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    both.write("wirebook.toml", text)
    code, out = check(capsys)
    assert code == 2
    assert words in out


@pytest.mark.parametrize("staged", [False, True])
def test_a_profile_in_a_file_counts(both: Repo, capsys: pytest.CaptureFixture[str], staged: bool) -> None:
    both.write("proto/otter.toml", 'listeners = ["pond"]\n')
    settled(both, CONFIG.replace('listeners = ["gateway"]', 'profile = "proto/otter.toml"'))
    both.spec(dive("request", listeners=["pont"]), OTTER)
    both.git("add", "-A")
    code, out = check(capsys, *(["--staged"] if staged else []))
    assert code == 1
    assert 'write "pond"' in out


def test_a_report_covers_each_protocol(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    from wirebook.cli.main import main

    both.spec(request(listeners=["gateway"], validVersions="0-3"), OTTER)
    both.spec(response(validVersions="0-3"), OTTER)
    both.spec(api_versions("request", deprecatedVersions="0"), KAFKA)
    assert main(["report", "--format", "json"]) == 0
    made = json.loads(capsys.readouterr().out)
    titles = ["kafka: ApiVersions (API key 18)", "otter: Fetch (API key 1)"]
    assert [api["about"] for api in made["apis"]] == titles
    assert [consequence["about"] for consequence in made["consequences"]] == titles
    assert made["verdict"]["state"] == "breaking"


def test_a_report_keeps_messages_of_one_name_in_two_protocols_apart(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    from wirebook.cli.main import main

    for folder, listener in ((OTTER, "gateway"), (KAFKA, "broker")):
        fields = [{**request()["fields"][0], "type": "int64"}, *request()["fields"][1:]]
        both.spec(request(listeners=[listener], fields=fields), folder)
    assert main(["report"]) == 0
    out = capsys.readouterr().out
    for part in ("otter", "kafka"):
        assert f"##### {part}: FetchRequest" in out, "of the findings"
        assert f"##### {part}: Fetch (API key 1)" in out, "of the changes"
        assert f"**{part}: Fetch (API key 1)**: Peers with and without this change misread" in out


@pytest.mark.parametrize("staged", [False, True])
def test_other_headers_break_the_messages_of_their_protocol(
    both: Repo, capsys: pytest.CaptureFixture[str], staged: bool
) -> None:
    settled(both, CONFIG.replace('listeners = ["gateway"]', "headers = { request = [1, 5] }"))
    both.write("wirebook.toml", CONFIG.replace('listeners = ["gateway"]', "headers = { request = [3, 5] }"))
    both.git("add", "-A")
    code, out = check(capsys, *(["--staged"] if staged else []))
    assert (code, "has header 3 instead of 1" in out, "DiveRequest" in out) == (1, True, True), out
    assert "ApiVersionsRequest" not in out


@pytest.mark.parametrize("length", [2, 4])
def test_a_release_has_the_profiles_of_its_protocols(
    both: Repo, capsys: pytest.CaptureFixture[str], length: int
) -> None:
    # The profile of one protocol is above the specs of the other, whose own profile is in the settings.
    both.write("profile.toml", "frame_length = 2\n")
    otters = CONFIG.replace('profile = "kafka"', "frame_length = 1").replace("vendor/kafka/**", "vendor/**")
    settled(both, otters + 'released = ["v*"]\n')
    both.git("tag", "v1.0.0")
    both.write("wirebook.toml", otters.replace("frame_length = 1", f"frame_length = {length}"))
    code, out = check(capsys)
    words = " ".join(out.split())
    assert (code, "error[header-version-changed]" in out) == (1, True), out
    assert f"is {length} bytes instead of 1 byte" in words, out
    assert "released in v1.0.0" in words
