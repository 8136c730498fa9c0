"""What a change does to the policy: a sentence for each setting, level and waiver."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, broken, request, started
from wirebook.rules.check.policy import policy_changes
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.project.config import read_config
from wirebook.specs.problems import InputError

PATH = f"{FOLDER}/FetchRequest.json"
OTTER = '[[protocol]]\nname = "otter"\npaths = ["a"]\n'


def edits(old: str, new: str, **given: object) -> list[str]:
    before, after = (read_config(text, "w.toml") for text in (old, new))
    return list(policy_changes(before, after.override(**given)))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", []),
        ('branch = "a"', '\nbranch = "a"', []),
        ("", 'branch = "a"', ['this change sets branch to "a"; before: nothing']),
        ('branch = "a"', "", ['this change sets branch to nothing; before: "a"']),
        ("", 'paths = ["a", "b"]', ['this change sets paths to ["a", "b"]; before: []']),
        ('released = "v*"', "released = []", ['this change sets released to []; before: ["v*"]']),
        ("", "prerelease = []", ["this change sets prerelease to []; before: nothing"]),
        (
            'deprecated_for = "2 days"',
            'deprecated_for = "1 day"',
            ['this change sets deprecated_for to "1 day"; before: "2 days"'],
        ),
        ('deprecated_for = "2 days"', 'deprecated_for = "2 day"', []),
        (
            'branch = "a"\nagainst = "b"',
            'branch = "c"\nagainst = "d"',
            [
                'this change sets against to "d"; before: "b"',
                'this change sets branch to "c"; before: "a"',
            ],
        ),
        ("", 'branch = "\\u001b[1m"', ['this change sets branch to "\\u001b[1m"; before: nothing']),
        # The level of tag-reused is "error", that of field-renamed "warning".
        ("", 'severities.tag-reused = "off"', ["this change lowers tag-reused to off (w.toml:1)"]),
        ("", 'severities.tag-reused = "error"', ["this change raises tag-reused to error (w.toml:1)"]),
        ("", 'severities.field-renamed = "info"', ["this change lowers field-renamed to info (w.toml:1)"]),
        ("", 'severities.field-renamed = "error"', ["this change raises field-renamed to error (w.toml:1)"]),
        ('severities.tag-reused = "info"', "", ["this change raises tag-reused to its default"]),
        ('severities.field-renamed = "error"', "", ["this change lowers field-renamed to its default"]),
        (
            'severities.field-renamed = "off"',
            'severities.field-renamed = "info"',
            ["this change raises field-renamed to info (w.toml:1)"],
        ),
        ('severities.field-renamed = "off"', '\nseverities.field-renamed = "off"', []),
        (
            "",
            'severities.wire = "off"\nseverities.spec = "info"',
            ["this change lowers spec to info (w.toml:2)", "this change lowers wire to off (w.toml:1)"],
        ),
        (
            "",
            '[protocol]\nname = "a"',
            ["this change edits the profile of the protocol (protocol)"],
        ),
        ('[protocol]\nname = "a"', '\n[protocol]\nname = "a"', []),
        ("", OTTER, ["this change edits the protocols of this repository ([[protocol]])"]),
        (OTTER, f"\n{OTTER}", []),
        (
            OTTER,
            OTTER.replace('"a"', '"b"'),
            ["this change edits the protocols of this repository ([[protocol]])"],
        ),
        (
            "",
            '[[override]]\npaths = "a"\nseverities.wire = "off"',
            ["this change edits the levels of some paths or messages (override)"],
        ),
    ],
)
def test_each_setting_that_differs_is_said(old: str, new: str, said: list[str]) -> None:
    assert edits(old, new) == said


def test_overrides_are_compared_by_what_they_say() -> None:
    one = '[[override]]\npaths = "a"\nseverities = {}\n'.replace("{}", '{ wire = "off" }')
    assert edits(one, one) == []
    assert edits(one + one.replace('"a"', '"b"'), one.replace('"a"', '"b"') + one) == [
        "this change edits the levels of some paths or messages (override)"
    ]


def test_what_the_command_line_sets_is_no_change() -> None:
    assert edits('branch = "a"', "", branch="b") == []
    assert edits('branch = "a"', 'waivers = "w"', branch="b") == [
        'this change sets waivers to "w"; before: "waivers.toml"'
    ]


WAIVER = """\
[[waiver]]
rule = "type-changed"
message = "FetchRequest"
field = "MaxWaitMs"
versions = "0-2"
change = "type: int32 -> int64"
reason = "{}"
by = "ada"
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A broken spec on a branch."""
    made = started(tmp_path / "repo")
    made.git("checkout", "-q", "-b", "feature")
    made.spec(broken())
    return made


def said(repo: Repo, **asked: object) -> list[str]:
    found = judge(CheckRequest(cwd=repo.folder, **asked))  # type: ignore[arg-type]
    return [line for line in found.report.policy_changes if "waiver" in line]


def test_waivers_that_come_and_go_are_said(repo: Repo) -> None:
    name = "type-changed for FetchRequest.MaxWaitMs 0-2"
    assert said(repo) == []
    repo.write("waivers.toml", WAIVER.format("so"))
    assert said(repo) == [f"this change adds a waiver: {name}: so (ada)"]
    repo.commit("accept it")
    repo.git("checkout", "-q", "-b", "next")
    assert said(repo, against="HEAD") == []
    # What is said of a waiver is part of it; where it stands is not.
    repo.write("waivers.toml", "# ours\n" + WAIVER.format("so"))
    assert said(repo, against="HEAD") == []
    repo.write("waivers.toml", WAIVER.format("why"))
    assert said(repo, against="HEAD") == [
        f"this change adds a waiver: {name}: why (ada)",
        f"this change removes a waiver: {name}",
    ]
    (repo.folder / "waivers.toml").unlink()
    assert said(repo, against="HEAD") == [f"this change removes a waiver: {name}"]


def test_waivers_are_those_of_the_file_that_the_configuration_names(repo: Repo) -> None:
    repo.write("ci/wirebook.toml", 'waivers = "ours.toml"\n')
    repo.write("ci/ours.toml", WAIVER.format("so"))
    found = judge(CheckRequest(cwd=repo.folder / "ci")).report
    assert found.policy_changes == (
        'this change sets waivers to "ours.toml"; before: "waivers.toml"',
        "this change adds a waiver: type-changed for FetchRequest.MaxWaitMs 0-2: so (ada)",
    )
    assert [item.waived for item in found.findings] == ["so (ada)"]


@pytest.mark.parametrize(("named", "there"), [(False, False), (True, False), (True, True)])
def test_a_waivers_file_that_is_named_exists(repo: Repo, named: bool, there: bool) -> None:
    if named:
        repo.write("wirebook.toml", 'waivers = "ours.toml"\n')
    if there:
        repo.write("ours.toml", "")
    if named and not there:
        with pytest.raises(InputError, match="the waivers file does not exist"):
            judge(CheckRequest(cwd=repo.folder))
    else:
        assert len(judge(CheckRequest(cwd=repo.folder)).report.findings) == 1


def test_a_waivers_file_lies_in_the_repository(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside.toml").write_text(WAIVER.format("so"))
    repo.write("wirebook.toml", 'waivers = "../outside.toml"\n')
    with pytest.raises(InputError) as error:
        judge(CheckRequest(cwd=repo.folder))
    assert (error.value.message, error.value.path) == (
        "the waivers file is outside the repository",
        "../outside.toml",
    )


def test_waivers_that_only_git_has_count_for_what_git_has(repo: Repo) -> None:
    repo.write("waivers.toml", WAIVER.format("so"))
    repo.git("add", "-A")
    (repo.folder / "waivers.toml").unlink()
    assert [item.waived for item in judge(CheckRequest(cwd=repo.folder)).report.findings] == [None]
    staged = judge(CheckRequest(cwd=repo.folder, staged=True)).report
    assert [item.waived for item in staged.findings] == ["so (ada)"]
    repo.git("commit", "-q", "-m", "accept it")
    span = judge(CheckRequest(cwd=repo.folder, against="main..feature")).report
    assert [item.waived for item in span.findings] == ["so (ada)"]
    # Without a finding, nothing that only git has is read.
    repo.git("checkout", "-q", "-f", "main")
    repo.write("waivers.toml", "this is no file of waivers")
    repo.git("add", "-A")
    (repo.folder / "waivers.toml").unlink()
    assert judge(CheckRequest(cwd=repo.folder, staged=True)).report.findings == ()


@pytest.mark.parametrize(("glob", "is_told"), [("experimental", True), ("elsewhere", False)])
def test_a_move_to_where_other_levels_hold_is_told(tmp_path: Path, glob: str, is_told: bool) -> None:
    """The next change meets only the levels of the new place."""
    tree = started(tmp_path / "moving")
    tree.write("wirebook.toml", f'[[override]]\npaths = ["{glob}"]\nseverities = {{ wire = "info" }}\n')
    tree.commit("the levels")
    place = "experimental/FetchRequest.json"
    (tree.folder / "experimental").mkdir()
    tree.git("mv", PATH, place)
    sentence = f"this change moves {PATH} to {place}, where other levels hold (wirebook.toml:1)"
    for text in (
        (tree.folder / place).read_text(),
        json.dumps(request(fields=[]) | {"validVersions": "none"}),
    ):
        tree.write(place, text)
        tree.git("add", "-A")
        report = judge(CheckRequest(cwd=tree.folder, staged=True)).report
        assert (sentence in report.policy_changes) is is_told
