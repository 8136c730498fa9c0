"""The settings in detail: which file is one, what its values may be, and the level of each finding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.rules.reports import some_finding
from wirebook.rules.finding import Category, Finding, Place, Severity
from wirebook.rules.project.config import (
    Config,
    apply,
    find_config,
    find_configs,
    is_configuration,
    load_config,
    read_config,
)
from wirebook.rules.project.settings import Setting
from wirebook.specs.limits import MAX_GLOBS, MAX_SETTINGS
from wirebook.specs.problems import InputError

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
WIRE = some_finding()
SOURCE = some_finding(rule="field-renamed", category=Category.SOURCE, severity=WARNING)


def read(text: str, path: str = "wirebook.toml") -> Config:
    return read_config(text, path)


def refused(text: str) -> str:
    with pytest.raises(InputError) as error:
        read(text)
    return str(error.value)


def repository(folder: Path) -> None:
    """Make a folder one that git takes for a repository."""
    (folder / ".git" / "refs").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


# --- which file -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_repository", [True, False])
def test_a_link_counts_if_it_stays_inside(tmp_path: Path, is_repository: bool) -> None:
    top = tmp_path / "top"
    (top / "a").mkdir(parents=True)
    if is_repository:
        repository(top)
    inside = top / "settings" / "ours.toml"
    inside.parent.mkdir()
    inside.write_text('branch = "x"\n')
    (top / "wirebook.toml").symlink_to(inside)
    assert list(find_configs(top)) == [top / "wirebook.toml"]
    assert find_config(top / "a") == (top / "wirebook.toml" if is_repository else None)
    for name in ("wirebook.toml", "pyproject.toml"):
        outside = tmp_path / name
        outside.write_text("[tool.wirebook]\n")
        (top / name).unlink(missing_ok=True)
        (top / name).symlink_to(outside)
        with pytest.raises(InputError) as error:
            find_config(top)
        assert str(error.value) == f"{top / name}: this is a link that points outside the repository"
        (top / name).unlink()


def test_the_files_of_a_folder_and_those_above_are_found_in_their_order(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    places = [tmp_path / "a" / "b", tmp_path / "a", tmp_path]
    expected = [places[0] / "wirebook.toml", places[1] / "pyproject.toml", places[2] / "wirebook.toml"]
    for path in expected:
        path.write_text("[tool.wirebook]\n" if path.name == "pyproject.toml" else "")
    (places[0] / "pyproject.toml").write_text("[tool.other]\n")
    (places[1] / "wirebook.toml").mkdir()
    assert list(find_configs(places[0])) == expected
    (places[1] / ".git").mkdir()
    assert list(find_configs(places[0])) == expected, "a stray folder is not a repository"
    repository(places[1])
    assert list(find_configs(places[0])) == expected[:2]


def test_two_files_in_one_folder_are_an_error(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "wirebook.toml").write_text("")
    (tmp_path / "pyproject.toml").write_text("[tool.wirebook]\n")
    with pytest.raises(InputError, match=r"pyproject\.toml: wirebook\.toml in the same folder has settings"):
        find_config(tmp_path)


@pytest.mark.parametrize(
    ("path", "text", "is_one"),
    [
        ("wirebook.toml", b"", True),
        ("a/other.toml", b"[tool.other]", True),
        ("pyproject.toml", b"[tool.wirebook]\n", True),
        ("a/pyproject.toml", b"\xef\xbb\xbf[tool.wirebook.severities]\n", True),
        ("pyproject.toml", b"[tool]\nwirebook = 3\n", True),
        ("pyproject.toml", b"[tool]\nother = 'wirebook'\n", False),
        ("pyproject.toml", b"[project]\nname = 'wirebook'\n", False),
        ("pyproject.toml", b"wirebook = 1\n", False),
        ("pyproject.toml", b"tool = ['wirebook']\n", False),
        ("pyproject.toml", b"[tool.other]\n", False),
        ("pyproject.toml", b"[tool.wirebook\n", True),
        ("pyproject.toml", b"[tool\n# wirebook\n", False),
        ("pyproject.toml", b"\xff [tool.wirebook]\n", True),
        ("pyproject.toml", b"\xff wirebook\n", False),
    ],
)
def test_which_file_is_a_configuration(path: str, text: bytes, is_one: bool) -> None:
    assert is_configuration(path, text) == is_one


def test_a_file_is_read_under_the_name_that_it_is_shown_by(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('title = "Base"\n')
    place = tmp_path / "wirebook.toml"
    place.write_text('[protocol]\nextends = "base.toml"\nname = "otter"\n')
    for name, origin in ((None, str(place)), ("x/wirebook.toml", "x/wirebook.toml"), ("w.toml", "w.toml")):
        config = load_config(place, name)
        assert config.protocol.origin == f"{origin}:1"
        assert config.protocol.value is not None
        assert (config.protocol.value.name, config.protocol.value.title) == ("otter", "Base")
    place.write_bytes(b"#" * (MAX_SETTINGS + 1))
    with pytest.raises(InputError, match=r"^w\.toml: this is larger than"):
        load_config(place, "w.toml")
    place.write_bytes(b"#" * MAX_SETTINGS)
    assert load_config(place) == Config()


def test_a_pyproject_is_known_by_its_name_on_every_system() -> None:
    text = '[tool.wirebook]\nbranch = "x"\n'
    for path in ("pyproject.toml", "a/pyproject.toml", "a\\pyproject.toml"):
        assert read(text, path).branch == Setting("x", f"{path}:2")
    with pytest.raises(InputError):
        read(text, "wirebook.toml")
    assert read("[tool]\n", "pyproject.toml") == read("", "pyproject.toml") == Config()


# --- values -----------------------------------------------------------------------------------------------


def test_every_key_is_read_with_its_line() -> None:
    config = read(
        'paths = "a"\nexclude = ["b"]\nreleased = ["d", "e"]\nprerelease = []\n'
        'against = "g"\nbranch = "h"\nwaivers = "i"\ndeprecated_for = "3 days"\n'
    )
    held = {
        "paths": ("a",), "exclude": ("b",), "released": ("d", "e"), "prerelease": (),
        "against": "g", "branch": "h", "waivers": "i",
    }  # fmt: skip
    for line, (key, value) in enumerate(held.items(), 1):
        assert getattr(config, key)[:2] == (value, f"wirebook.toml:{line}")
    assert (str(config.deprecated_for.value), config.deprecated_for.origin) == ("3 days", "wirebook.toml:8")
    assert config.protocol == Setting(None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("protocol = 3", '1:1: "protocol" must be a table'),
        ("protocol = []", '1:1: "protocol" must be a table'),
        ("protocol = [3]", "1:"),
        ("paths = ['a', '  ']", "1:15: write a string here"),
        ("paths = ' '", '1:1: "paths" must be a string'),
        ("paths = [['a']]", "1:10: write a string here"),
        ("paths = {}", '1:1: "paths" must be a list of strings'),
        ("override = [1]", "1:1: write [[override]] above each of them"),
        ("[[override]]\nmessages = 'A'", '1:1: an override needs "severities": a level by rule or category'),
        ("[[override]]\nmessages = 'A'\nseverities = {}", '1:1: an override needs "severities"'),
        (
            "[[override]]\nmessages = 'A'\nseverities = 'off'",
            '3:1: "severities" must be a table: a level by rule or category',
        ),
        (
            "[[override]]\nmessages = []\nseverities.wire = 'off'",
            '1:1: an override needs "paths" or "messages"; use [severities] for all',
        ),
        ("[[override]]\nmessages = 'A'\nseverities.wire = 'loud'", "3:1: a level must be one of"),
        ("[[override]]\nmessages = ' '", "2:1: write a string here"),
        ("[[override]]\nmesages = 'A'", '2:1: there is no key "mesages" here; did you mean "messages"?'),
    ],
)
def test_what_is_no_value_is_refused_at_its_place(text: str, said: str) -> None:
    assert refused(text).startswith(f"wirebook.toml:{said}")


def test_as_many_globs_as_anybody_writes_are_read() -> None:
    assert len(read(f"exclude = {['a*'] * MAX_GLOBS}").exclude.value) == MAX_GLOBS
    one = "[[override]]\nseverities.wire = 'info'\n"
    text = f"{one}messages = {['a*'] * (MAX_GLOBS - 1)}\n{one}paths = 'b'\n"
    first, second = read(text).overrides
    assert (len(first.messages), second.paths) == (MAX_GLOBS - 1, ("b",))
    assert "more than" in refused(f"{text}messages = 'c'\n")


def test_the_command_line_goes_first() -> None:
    config = read('against = "a"\nbranch = "b"\n').override(against="c", branch=None, released=("d",))
    assert config.against == Setting("c", "command line")
    assert config.branch == Setting("b", "wirebook.toml:2")
    assert config.released == Setting(("d",), "command line")


@pytest.mark.parametrize(
    ("named", "seen"),
    [
        ("file", "file"),  # a bare word is a ref
        ("./file", "../file"),
        ("dir:file", "dir:../file"),
        ("git:repo@v1", "git:../repo@v1"),
        ("repo@v1", "../repo@v1"),
        ("./gone", "./gone"),
        ("gone@v1", "gone@v1"),
        ("@v1", "@v1"),
        ("[0-9]*", "[0-9]*"),
        ("../top/file", "../file"),
    ],
)
def test_sources_beside_the_file_are_seen_from_another_folder(tmp_path: Path, named: str, seen: str) -> None:
    folder, here = tmp_path / "top", tmp_path / "top" / "sub"
    here.mkdir(parents=True)
    (folder / "file").write_text("")
    (folder / "repo").mkdir()
    config = read(f'against = "{named}"\nreleased = ["{named}", "v*"]\n')
    found = config.seen_from(here, folder)
    assert found.against == Setting(seen, "wirebook.toml:1")
    assert found.released[:2] == ((seen, "v*"), "wirebook.toml:2")
    assert config.seen_from(folder, folder) is config
    absolute = read(f'against = "{folder / "file"}"\n')
    assert absolute.seen_from(here, folder).against == absolute.against
    assert read("").seen_from(here, folder) == read("")


# --- levels -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "severities"),
    [
        ([""], [ERROR]),
        (['wire = "off"'], []),
        (['wire = "off"', ""], [ERROR]),
        (['wire = "info"', 'wire = "warning"'], [WARNING]),
        (['wire = "warning"', 'wire = "info"'], [WARNING]),
        (['wire = "off"', 'wire = "info"'], [INFO]),
        (['wire = "info"', 'wire = "off"'], [INFO]),
        (['wire = "off"', 'wire = "off"'], []),
        (['tag-reused = "off"', 'source = "off"'], [ERROR]),
    ],
)
def test_the_worst_level_of_the_policies_counts(texts: Sequence[str], severities: list[Severity]) -> None:
    policies = [(read(f"[severities]\n{text}\n"), str) for text in texts]
    assert [item.severity for item in apply([WIRE], policies)] == severities


def test_without_levels_the_findings_stay_as_they_are() -> None:
    assert apply([SOURCE, WIRE], [(Config(), str), (read('branch = "x"'), str)]) == [SOURCE, WIRE]
    assert apply([SOURCE, WIRE], [(Config(), str), (read('severities.set = "off"'), str)]) == [WIRE, SOURCE]


@pytest.mark.parametrize(
    ("rule", "found", "told", "shown_as"),
    [
        ("tag-reused", ERROR, "warning", WARNING),
        ("tag-reused", WARNING, "error", WARNING),
        ("tag-reused", WARNING, "info", INFO),
        ("tag-reused", INFO, "warning", INFO),
        ("field-renamed", WARNING, "error", ERROR),
        ("field-renamed", INFO, "error", INFO),
        ("field-renamed", INFO, "warning", INFO),
    ],
)
def test_a_level_is_the_highest_one_of_the_rule(
    rule: str, found: Severity, told: str, shown_as: Severity
) -> None:
    item = some_finding(rule=rule, severity=found)
    (judged,) = apply([item], [(read(f'severities.{rule} = "{told}"'), str)])
    assert judged.severity is shown_as


def placed(item: Finding, location: str | None, previous: str | None) -> Finding:
    return item._replace(
        location=None if location is None else Place(location, 1, 1),
        previous=None if previous is None else Place(previous, 1, 1),
    )


@pytest.mark.parametrize(
    ("location", "previous", "severity"),
    [
        ("top/a/Foo.json", "top/b/Foo.json", ERROR),
        ("top/b/Foo.json", "top/a/Foo.json", ERROR),
        ("top/a/Foo.json", "top/a/Bar.json", INFO),
        (None, "top/a/Foo.json", INFO),
        (None, None, ERROR),
    ],
)
def test_an_override_of_paths_needs_both_places(
    location: str | None, previous: str | None, severity: Severity
) -> None:
    config = read('[[override]]\npaths = "a"\nseverities.wire = "info"\n')
    item = placed(WIRE, location, previous)
    (judged,) = apply([item], [(config, lambda path: path.removeprefix("top/"))])
    assert judged.severity is severity


def test_an_override_of_paths_and_messages_needs_both() -> None:
    config = read('[[override]]\npaths = "a"\nmessages = ["Foo*"]\nseverities.wire = "info"\n')
    told = {
        (path, name): apply([placed(WIRE, path, None)._replace(message_name=name)], [(config, str)])[
            0
        ].severity
        for path in ("a/x.json", "b/x.json", None)
        for name in ("FooRequest", "BarRequest")
    }
    assert {place for place, severity in told.items() if severity is INFO} == {("a/x.json", "FooRequest")}
