"""Custom rules: where they may come from, what they may do, and what their faults do to a check."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, request, started
from tests.rules.plugin_names import NAMES
from tests.support import ROOT
from wirebook.cli.main import main
from wirebook.rules.catalogue import RULES
from wirebook.rules.meta_rules import all_rules, find
from wirebook.rules.plugins import Plugin, loaded
from wirebook.specs.problems import InputError

RAISES = NAMES.replace("if item.field.name.endswith", "1 / 0\n    if item.field.name.endswith").replace(
    "name_with_ms", "name_that_raises"
)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose configuration names a folder of custom rules."""
    repo = started(tmp_path / "repository")
    repo.write("protocol_rules/names.py", NAMES)
    repo.write("wirebook.toml", 'plugins = ["protocol_rules/"]\n')
    repo.commit()
    monkeypatch.chdir(repo.folder)
    return repo


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", *arguments])
    done = capsys.readouterr()
    # A finding is wrapped at the width of the terminal.
    return code, " ".join((done.out + done.err).split())


def test_the_rules_of_the_old_side_judge(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(request(validVersions="0-3", fields=[*request()["fields"], *late("LingerMillis")]))
    code, out = check(capsys, "--against", "HEAD")
    assert "name-with-ms" in out
    assert "FetchRequest · LingerMillis" in out
    commit = repo.git("rev-parse", "HEAD")[:12]
    assert f"custom rules of protocol_rules of {commit}: name-with-ms" in out
    assert code == 1, "the response lacks the version"
    # The rules are gone with the check.
    assert find("name-with-ms") is None
    assert not [name for name in sys.modules if name.startswith("wirebook_plugins")]


def late(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "type": "int32", "versions": "3+", "about": "Late."} for name in names]


def test_a_change_edits_no_rule_that_judges_it(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(request(validVersions="0-3", fields=[*request()["fields"], *late("LingerMillis")]))
    repo.write("protocol_rules/names.py", NAMES.replace("Millis", "Nothing"))
    repo.write("protocol_rules/more.py", 'raise SystemExit("run from the change")')
    repo.write("wirebook.toml", "")
    for staged in ([], ["--staged"]):
        repo.git("add", "-A")
        code, out = check(capsys, "--against", "HEAD", *staged)
        assert (code, "name-with-ms" in out) == (1, True)
        assert "run from the change" not in out


def test_a_plugin_that_the_change_brings_is_named_and_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = started(tmp_path)
    monkeypatch.chdir(tmp_path)
    repo.write("protocol_rules/names.py", 'raise SystemExit("run from the change")')
    repo.write("wirebook.toml", 'plugins = ["protocol_rules/", "acme_rules"]\n\n[severities]\nacme = "off"\n')
    code, out = check(capsys, "--against", "HEAD")
    assert code == 0
    assert "the custom rules protocol_rules/, acme_rules (wirebook.toml:1) do not apply to this change" in out
    repo.write("protocol_rules/names.py", NAMES)
    repo.spec(request(validVersions="0-3", fields=[*request()["fields"], *late("LingerMillis")]))
    _, out = check(capsys, "--against", "HEAD", "--plugins", "protocol_rules")
    assert "name-with-ms" in out
    assert not list((tmp_path / "protocol_rules").glob("__pycache__"))


def test_levels_and_waivers_hold_for_custom_rules(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(request(fields=[*request()["fields"], *late("LingerMillis")], validVersions="0-3"))
    repo.write("wirebook.toml", 'plugins = ["protocol_rules/"]\n\n[severities]\nname-with-ms = "off"\n')
    out = check(capsys, "--against", "HEAD", "--policy", "new")[1]
    assert "custom rules of protocol_rules" in out
    assert "[name-with-ms]" not in out


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            RAISES,
            "protocol_rules/more.py:{line}: the rule name-that-raises fails: ZeroDivision",
        ),
        ("def broken(:\n", "protocol_rules/more.py:1: SyntaxError: invalid syntax"),
        ("\nimport nothing_of_that_name\n", "protocol_rules/more.py:2: ModuleNotFoundError: No module named"),
        (
            NAMES.replace("name_with_ms", "tag_reused"),
            "protocol_rules/more.py:{line}: ValueError: two rules are called tag-reused",
        ),
        (
            re.sub(r"yield Hit.*", "yield 'text'", NAMES.replace("name_with_ms", "name_of_none")),
            "protocol_rules/more.py:{line}: the rule name-of-none fails: TypeError: a rule yields Hit",
        ),
        ("\nraise SystemExit(0)\n", "protocol_rules/more.py:2: SystemExit: 0"),
        (
            RAISES.replace("1 / 0", "raise SystemExit(0)"),
            "protocol_rules/more.py:{line}: the rule name-that-raises fails: SystemExit: 0",
        ),
    ],
    ids=["raises", "syntax", "import", "taken", "no-hit", "exit", "rule-exits"],
)
def test_a_faulty_plugin_is_named_and_the_other_rules_judge(
    text: str, line: str, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write("protocol_rules/more.py", text)
    repo.spec(request(validVersions="0-3", fields=[*request()["fields"], *late("LingerMillis")]))
    code, out = check(capsys, "--against", "HEAD", "--plugins", "protocol_rules")
    assert code == 2
    shown = line.partition("{line}")
    assert shown[0] in out
    assert shown[2] in out
    assert "name-with-ms" in out
    assert "partner-versions-differ" in out


def test_an_installed_package_is_loaded_with_its_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme_rules").mkdir()
    (tmp_path / "acme_rules" / "__init__.py").write_text("")
    (tmp_path / "acme_rules" / "names.py").write_text(NAMES)
    monkeypatch.syspath_prepend(tmp_path)
    for _ in range(2):
        with loaded([Plugin.named("acme_rules", tmp_path / "elsewhere")]) as custom:
            assert custom.rules == {"acme_rules": ("name-with-ms",)}
            rule = find("name-with-ms")
            assert rule is not None
            assert rule.topic == "acme_rules"
            assert rule in all_rules()
        assert find("name-with-ms") is None


@pytest.mark.parametrize("name", ["no_such_package", "no/such/folder", "no such"])
def test_what_is_not_there_is_refused(name: str, repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError), loaded([Plugin.named(name, repo.folder)]):
        pass
    assert check(capsys, "--plugins", name)[0] == 2


def test_a_custom_rule_is_explained_and_listed(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "name-with-ms", "--plugins", "protocol_rules"]) == 0
    out = capsys.readouterr().out
    assert "says so at the end of its name" in out
    assert "since" not in out, "it came with the project, not with a version of wirebook"
    assert main(["rules", "--plugins", "protocol_rules"]) == 0
    assert "\nprotocol_rules\n  name-with-ms" in capsys.readouterr().out


def test_every_file_of_the_folder_may_use_the_others(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text('SUFFIX = "Millis"\n')
    text = NAMES.replace("from wirebook.rules.rule", "from .shared import SUFFIX\nfrom wirebook.rules.rule")
    (tmp_path / "names.py").write_text(text.replace('endswith("Millis")', "endswith(SUFFIX)"))
    with loaded([Plugin("rules-of-ours", folder=tmp_path)]) as custom:
        assert custom.failures == []
        assert custom.rules == {"rules-of-ours": ("name-with-ms",)}


def test_specs_of_the_folder_are_no_rules(repo: Repo) -> None:
    assert (repo.folder / FOLDER).is_dir()
    with loaded([Plugin.named(FOLDER, repo.folder)]) as custom:
        assert custom.rules == {FOLDER: ()}
        assert custom.notices == []


def test_the_worked_example_of_the_site_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "site_src" / "custom-rules.md").read_text(encoding="utf-8")
    [code] = re.findall(r'```python title="([^"]+)"\n(.*?)```', page, re.DOTALL)
    [settings] = re.findall(r'```toml title="wirebook.toml"\n(.*?)```', page, re.DOTALL)
    [commands] = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    repo = started(tmp_path)
    repo.spec(request(fields=[{"name": "WaitMillis", "type": "int32", "versions": "0+"}]))
    repo.write(*code)
    monkeypatch.chdir(tmp_path)
    for command in commands.splitlines():
        assert main(command.split()[1:]) == (1 if "check" in command else 0)
        assert "milliseconds-in-name" in capsys.readouterr().out
    repo.write("wirebook.toml", settings)
    repo.commit("the rules of the page")
    repo.spec(request(fields=[*request()["fields"], {**late("LingerMillis")[0], "versions": "2+"}]))
    assert main(["check", "--against", "HEAD"]) == 1
    assert "error[milliseconds-in-name]" in capsys.readouterr().out


# The registry of levels, the tables of numbers, and the breaks that others explain: by built-in rules only.
BUILT_IN = {"ProtocolPair", "ErrorsPair", "ValuesPair", "Break", "CopiedStruct"}


def test_the_kinds_that_the_site_lists_are_those_that_rules_judge() -> None:
    page = (ROOT / "site_src" / "custom-rules.md").read_text(encoding="utf-8")
    table = page.partition("## What a rule checks")[2].partition("\n## ")[0].partition("|---")[2]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == RULES.keys() - BUILT_IN
