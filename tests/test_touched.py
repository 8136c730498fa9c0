"""`make check` runs the tests of what is changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools import touched as tool
from tools.touched import MOST, changed, touched


def test_the_tests_of_a_module_mirror_or_import_it() -> None:
    tests = touched(["rules/roots.py"])
    assert "tests/rules/test_roots.py" in tests
    assert all(name.rpartition("/")[2].startswith("test_") for name in tests)


def test_the_tests_of_a_module_include_those_of_what_imports_it() -> None:
    assert "tests/rules/agreement/test_breaks.py" in touched(["rules/agreement/relation.py"])


def test_a_test_may_be_named_after_a_module_in_a_folder_above() -> None:
    assert "tests/docgen/render/test_api_page.py" in touched(["docgen/render/pages/api.py"])


def test_a_helper_of_tests_leads_to_its_users() -> None:
    assert "tests/rules/check/test_bases.py" in touched(["tests/rules/check/running.py"])


def test_a_template_leads_to_what_renders_it_whatever_includes_it() -> None:
    assert "tests/docgen/render/test_api_page.py" in touched(["docgen/render/templates/api.html.jinja"])
    assert "tests/docgen/render/pages/test_home.py" in touched(["docgen/render/templates/changes.jinja"])


def test_a_module_that_everything_uses_selects_only_what_is_named_after_it() -> None:
    assert touched(["specs/model.py"]) == ["tests/specs/test_model.py"]


def test_a_change_of_many_modules_selects_the_nearest_tests() -> None:
    tests = touched(["specs/wire/codec.py", "specs/wire/layout.py", "specs/versions.py", "specs/model.py"])
    assert {"tests/specs/wire/test_codec.py", "tests/specs/test_versions.py"} <= set(tests)
    assert len(tests) <= MOST


def test_other_files_are_tested_by_what_names_them() -> None:
    assert "tests/test_house.py" in touched(["CONTRIBUTING.md"])
    assert touched(["tests/test_words.py", "no/such.py"]) == ["tests/test_words.py"]


def test_what_changed_differs_from_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main")
    for name in ("first", "second", "third"):
        (tmp_path / name).write_text("1\n")
        git("add", name)
        git("commit", "-m", name)
    (tmp_path / "first").write_text("2\n")
    (tmp_path / "fourth").write_text("1\n")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    assert changed() == ["first", "fourth"]
    assert changed("HEAD~1") == ["first", "fourth", "third"]
    with pytest.raises(subprocess.CalledProcessError):
        changed("no-such-revision")
