"""The configuration: found from below, read with the origin of each value, and wrong values told by line."""

from __future__ import annotations

import json
import re
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.rules.reports import some_finding
from tests.support import ROOT
from wirebook.rules.finding import Category, Finding, Place, Severity
from wirebook.rules.project.config import Config, apply, find_config, load_config, read_config
from wirebook.specs.limits import MAX_GLOBS
from wirebook.specs.problems import InputError
from wirebook.specs.reading.globs import matches

TEXT = """\
paths = ["clients/**/message", "raft"]
exclude = "Test*.json"
released = ["[0-9]*"]
against = "origin/main"
branch = "trunk"
waivers = "ci/waivers.toml"

[severities]
tag-gap = "off"
source = "info"
"""


WIRE = some_finding()
SOURCE = some_finding(rule="field-renamed", category=Category.SOURCE, severity=Severity.WARNING)
FIRM = some_finding(rule="api-versions-deprecated", category=Category.POLICY)


def levels(text: str, *findings: Finding) -> list[tuple[str, str]]:
    config = read_config(f"[severities]\n{text}\n", "wirebook.toml")
    return [(item.rule, item.severity.value) for item in apply(findings, [(config, str)])]


def test_every_value_knows_where_it_is_from() -> None:
    config = read_config(TEXT, "wirebook.toml")
    assert config.paths.value == ("clients/**/message", "raft")
    assert config.exclude.value == ("Test*.json",)
    assert (config.branch.value, config.branch.origin) == ("trunk", "wirebook.toml:5")
    assert (config.severities["source"].value, config.severities["source"].origin) == (
        "info",
        "wirebook.toml:10",
    )
    assert Config().waivers.origin == "default"


def test_pyproject_has_it_in_a_table_of_its_own() -> None:
    text = (
        '[tool.other]\npaths = 3\n[tool.wirebook]\nreleased = "v*"\n[tool.wirebook.severities]\nset = "off"\n'
    )
    config = read_config(text, "some/pyproject.toml")
    assert (config.released.value, config.released.origin) == (("v*",), "some/pyproject.toml:4")
    assert config.severities["set"].origin == "some/pyproject.toml:6"
    assert read_config("[project]\nname = 'x'\n", "pyproject.toml") == Config()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("path = ['x']\n", '1:1: there is no key "path" here; did you mean "paths"?'),
        ("\nzzz = 1\n", '2:1: there is no key "zzz" here; there are paths, exclude, released'),
        ("paths = 3\n", '1:1: "paths" must be a list of strings'),
        ("paths = [\n 'x',\n 3]\n", "3:2: write a string here"),
        ("waivers = ''\n", '1:1: "waivers" must be a string'),
        ('waivers = "a\\u0000b"\n', "1:1: no setting contains the null character U+0000"),
        (
            '[protocol.tables]\nerrors = "a\\u0000.json"\n',
            "2:1: no setting contains the null character U+0000",
        ),
        ("against = ['x']\n", '1:1: "against" must be a string'),
        ("deprecated_for = 2\n", '1:1: "deprecated_for" must be a string'),
        (
            "deprecated_for = '0 days'\n",
            '1:1: "deprecated_for" must be like "2 releases" or "180 days"',
        ),
        (
            "deprecated_for = 'two releases'\n",
            '1:1: "deprecated_for" must be like "2 releases" or "180 days"',
        ),
        (
            "deprecated_for = '2 weeks'\n",
            '1:1: "deprecated_for" must be like "2 releases" or "180 days"',
        ),
        ("severities = 'off'\n", '1:1: "severities" must be a table'),
        (
            "[severities]\ntag-gab = 'off'\n",
            '2:1: there is no rule or category "tag-gab"; did you mean "tag-gap"',
        ),
        (
            "[severities]\nsourse = 'off'\n",
            '2:1: there is no rule or category "sourse"; did you mean "source"',
        ),
        (
            "[severities]\nqq = 'off'\n",
            '2:1: there is no rule or category "qq"; `wirebook explain` lists them',
        ),
        ("[severities]\ntag-gap = 'none'\n", "2:1: a level must be one of error, warning, info, off"),
        ("[severities]\ntag-gap = 1\n", "2:1: a level must be one of"),
        ("[severities]\ntag-gap = ['off']\n", "2:1: a level must be one of"),
        ("[severities]\napi-versions-deprecated = 'off'\n", "2:1: api-versions-deprecated cannot be lowered"),
        (
            "[severities]\napi-versions-deprecated = 'warning'\n",
            "2:1: api-versions-deprecated cannot be lowered",
        ),
        ("[severities\n", "1:12: this is not TOML"),
    ],
)
def test_wrong_values_are_told_by_line(text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        read_config(text, "wirebook.toml")
    assert str(caught.value).startswith(f"wirebook.toml:{told}")


def test_a_table_that_is_none_is_told() -> None:
    with pytest.raises(InputError, match=r"2:1: this must be a table: \[tool.wirebook\]"):
        read_config("[tool]\nwirebook = 3\n", "pyproject.toml")


def test_a_level_of_a_rule_goes_before_that_of_its_category() -> None:
    assert levels('wire = "off"\ntag-reused = "warning"', WIRE) == [("tag-reused", "warning")]
    assert levels('wire = "off"', WIRE) == []
    assert levels('source = "error"', SOURCE) == [("field-renamed", "error")]
    assert levels("", WIRE, SOURCE) == [("tag-reused", "error"), ("field-renamed", "warning")]


def test_what_is_milder_than_its_rule_stays_milder() -> None:
    free = WIRE._replace(severity=Severity.INFO)
    loose = WIRE._replace(severity=Severity.WARNING)
    assert levels('tag-reused = "warning"', free, loose) == [
        ("tag-reused", "warning"),
        ("tag-reused", "info"),
    ]
    assert levels('tag-reused = "error"', free, loose) == [("tag-reused", "warning"), ("tag-reused", "info")]
    assert levels('tag-reused = "info"', loose) == [("tag-reused", "info")]


def test_a_category_does_not_lower_a_firm_rule() -> None:
    assert levels('policy = "off"', FIRM) == [("api-versions-deprecated", "error")]
    assert levels('api-versions-deprecated = "error"', FIRM) == [("api-versions-deprecated", "error")]


def test_what_is_found_of_waivers_has_a_level_too() -> None:
    stale = some_finding(rule="stale-waiver", category=Category.POLICY, severity=Severity.WARNING)
    assert levels('stale-waiver = "error"', stale) == [("stale-waiver", "error")]
    assert levels('policy = "off"', stale) == []


def test_findings_are_sorted_again() -> None:
    assert [rule for rule, _ in levels('source = "error"\nwire = "info"', WIRE, SOURCE)] == [
        "field-renamed",
        "tag-reused",
    ]


@pytest.mark.parametrize(
    ("glob", "fitting", "others"),
    [
        ("*.json", ["a.json", "x/y/a.json"], ["a.jsonx", "json"]),
        ("Test*", ["TestA.json", "x/TestA/b.json"], ["x/ATest"]),
        ("message", ["message/a.json", "x/message/b.json"], ["messages/a.json", "x/message.json"]),
        ("raft/message", ["raft/message/a.json"], ["x/raft/message/a.json", "raft/messages"]),
        ("./raft/message/", ["raft/message/a.json"], ["message"]),
        ("a/*/b.json", ["a/x/b.json"], ["a/x/y/b.json", "a/b.json"]),
        ("a/**/b.json", ["a/x/y/b.json", "a/b.json"], ["ab.json", "x/a/b.json"]),
        ("**/b?.json", ["b1.json", "x/b2.json"], ["b.json", "x/b12.json"]),
        (".", ["a.json", "x/y"], []),
        ("a+b(c).json", ["a+b(c).json"], ["aab(c).json"]),
        (
            "messages",
            ["messages/a.json", "x/messages/a.json"],
            ["../messages/a.json", "../x/messages/a.json"],
        ),
        ("**/*.json", ["a.json"], ["../a.json"]),
        ("*/a.json", ["x/a.json"], ["../a.json"]),
        (".", ["a.json"], ["../a.json"]),
        ("../x", ["../x/a.json"], ["x/a.json", "../../x/a.json"]),
        ("../*", ["../x/a.json"], ["../../x/a.json"]),
    ],
)
def test_globs(glob: str, fitting: list[str], others: list[str]) -> None:
    assert [path for path in fitting if not matches(path, [glob])] == []
    assert [path for path in others if matches(path, [glob])] == []


def expression(glob: str) -> str:
    """A glob of whole names as a regular expression, which tries every way to fit."""
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    rooted = "" if "/" in glob else "(?:.*/)?"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return rooted + "".join(signs.get(part) or re.escape(part) for part in parts) + "(?:/.*)?"


NAMES = st.text("ab*?.[", min_size=1, max_size=5).filter(lambda name: "**" not in name)


@given(
    st.lists(NAMES | st.just("**"), min_size=1, max_size=4).map("/".join),
    st.lists(st.text("ab.[", min_size=1, max_size=4), min_size=1, max_size=5).map("/".join),
)
def test_globs_fit_what_their_regular_expression_fits(glob: str, path: str) -> None:
    assume(glob != "." and not glob.startswith("./") and ".." not in (*glob.split("/"), *path.split("/")))
    assert matches(path, [glob]) == (re.fullmatch(expression(glob), path) is not None)


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("**/" * 300 + "z", "a/" * 100 + "b.json"),
        ("**/a/" * 100 + "z", "a/" * 100 + "b.json"),
        ("*a" * 100 + "b", "a" * 4000),
        ("?*" * 100 + "b", "a" * 4000),
    ],
)
def test_a_glob_takes_no_time_however_it_is_written(glob: str, path: str) -> None:
    begun = time.process_time()
    assert not matches(path, [glob])
    assert time.process_time() - begun < 5


def test_many_overrides_are_compared_with_a_message_once() -> None:
    one = '[[override]]\nmessages = ["Foo{n}*", "*"]\nseverities.wire = "info"\n'
    text = "".join(one.format(n=n) for n in range(500))
    config = read_config(text, "wirebook.toml")
    found = [WIRE._replace(field=f"F{n}") for n in range(5000)]
    begun = time.process_time()
    told = apply(found, [(config, str)])
    assert [item.severity.value for item in told] == ["info"] * 5000
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    "text",
    [
        f"exclude = {['a*'] * (MAX_GLOBS + 1)}",
        f"[[override]]\nseverities.wire = 'info'\nmessages = {['a*'] * (MAX_GLOBS // 2)}\n" * 3,
        f"[[override]]\nseverities.wire = 'info'\npaths = {['a*'] * (MAX_GLOBS // 2)}\n" * 3,
    ],
)
def test_more_globs_than_anybody_writes_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=rf"wirebook\.toml:\d+:\d+: more than {MAX_GLOBS:,} globs"):
        read_config(text, "wirebook.toml")


def test_paths_and_exclude_decide_together() -> None:
    config = read_config('paths = "specs"\nexclude = "specs/old"\n', "wirebook.toml")
    assert config.takes("specs/Foo.json")
    assert not config.takes("specs/old/Foo.json")
    assert not config.takes("Foo.json")
    assert Config().takes("anything")


def test_the_nearest_file_below_the_root_of_the_repository_is_found(tmp_path: Path) -> None:
    inside = tmp_path / "repo" / "a" / "b"
    inside.mkdir(parents=True)
    (tmp_path / "wirebook.toml").write_text("")
    assert find_config(inside) is None
    (tmp_path / "elsewhere" / "refs").mkdir(parents=True)
    (tmp_path / "elsewhere" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "repo" / ".git").write_text("gitdir: ../elsewhere\n")
    assert find_config(inside) is None
    (tmp_path / "repo" / "pyproject.toml").write_text("[tool.wirebook]\n")
    assert find_config(inside) == tmp_path / "repo" / "pyproject.toml"
    (tmp_path / "repo" / "pyproject.toml").rename(tmp_path / "repo" / "wirebook.toml")
    assert find_config(inside) == tmp_path / "repo" / "wirebook.toml"
    (tmp_path / "repo" / "a" / "pyproject.toml").write_text("[project]\nname = 'wirebook'\n")
    assert find_config(inside) == tmp_path / "repo" / "wirebook.toml"
    (inside / "wirebook.toml").write_text('branch = "x"\n')
    found = find_config(inside)
    assert found == inside / "wirebook.toml"
    assert load_config(found, "a/b/wirebook.toml").branch.origin == "a/b/wirebook.toml:1"
    assert load_config(None) == Config()


def test_a_broken_pyproject_counts_only_if_it_speaks_of_us(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project\nname = 'wirebook'\n")
    assert find_config(tmp_path) is None
    (tmp_path / "pyproject.toml").write_text("[tool.wirebook\n")
    found = find_config(tmp_path)
    assert found is not None
    with pytest.raises(InputError, match=r"pyproject\.toml:1:15: this is not TOML"):
        load_config(found)


# --- levels of some paths and messages --------------------------------------------------------------------

OVERRIDES = """\
[severities]
source = "info"

[[override]]
paths = ["generated/**"]
severities = { source = "off", tag-reused = "warning", policy = "off" }

[[override]]
messages = ["Foo*", "BarRequest"]
severities.tag-reused = "info"
"""


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("specs/Baz.json", "BazRequest", {"tag-reused": "error", "field-renamed": "info"}),
        ("generated/x/Baz.json", "BazRequest", {"tag-reused": "warning"}),
        # The last one that fits counts, for the rules that it names.
        ("generated/Foo.json", "FooRequest", {"tag-reused": "info"}),
        ("specs/Foo.json", "FooRequest", {"tag-reused": "info", "field-renamed": "info"}),
        (None, "BazRequest", {"tag-reused": "error", "field-renamed": "info"}),
    ],
)
def test_levels_of_some_paths_and_messages(path: str | None, name: str, expected: dict[str, str]) -> None:
    config = read_config(OVERRIDES, "wirebook.toml")
    place = None if path is None else Place(f"top/{path}", 1, 1)
    items = [item._replace(message_name=name, location=place) for item in (WIRE, SOURCE, FIRM)]
    found = apply(items, [(config, lambda place: place.removeprefix("top/"))])
    # A firm rule is not lowered by its category.
    assert {item.rule: item.severity.value for item in found} == {**expected, FIRM.rule: "error"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("override = 1", "write [[override]] above each of them"),
        ("[override]\npaths = ['x']", "write [[override]] above each of them"),
        ('[[override]]\nseverities.source = "off"', "paths"),
        ('[[override]]\npaths = ["x"]', 'an override needs "severities"'),
        ('[[override]]\npath = ["x"]', 'did you mean "paths"?'),
        ('[[override]]\npaths = 3\nseverities.source = "off"', '"paths" must be a list of strings'),
        ('[[override]]\npaths = ["x"]\nseverities.sauce = "off"', 'did you mean "source"?'),
        ('[[override]]\npaths = ["x"]\nseverities.source = "loud"', "a level must be one of"),
        ('[[override]]\nmessages = ["x"]\nseverities.api-versions-deprecated = "off"', "cannot be lowered"),
    ],
)
def test_a_wrong_override_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_config(text, "wirebook.toml")
    assert words in caught.value.message
    assert caught.value.position is not None


def test_the_schema_of_the_configuration_takes_what_the_reader_takes() -> None:
    schema = json.loads((ROOT / "rules" / "schema" / "config.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for text in (TEXT, OVERRIDES, 'prerelease = ["*-rc*"]', 'deprecated_for = "1 release"', ""):
        assert [error.message for error in validator.iter_errors(tomllib.loads(text))] == []
        read_config(text, "wirebook.toml")
    keys = {*Config._fields} - {"overrides"} | {"override"}
    assert set(schema["properties"]) == keys
    for text in (
        'deprecated_for = "0 days"',
        "override = 1",
        '[[override]]\npaths = ["x"]',
        "[[protocol]]\npaths = ['x']",
        "path = 3",
        '[severities]\nsource = "loud"',
    ):
        assert not validator.is_valid(tomllib.loads(text))
