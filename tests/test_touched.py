"""`make check` runs the tests of what is changed."""

from __future__ import annotations

from tools.touched import MOST, for_file, importing, touched


def test_the_tests_of_a_module_mirror_or_import_it() -> None:
    found = for_file("rules/roots.py")
    assert "tests/rules/test_roots.py" in found
    assert all(name.rpartition("/")[2].startswith("test_") for name in found)


def test_a_helper_of_tests_leads_to_its_users() -> None:
    assert "tests/rules/check/test_bases.py" in for_file("tests/rules/check/running.py")


def test_a_module_that_everything_uses_selects_only_what_is_named_after_it() -> None:
    assert len(importing("wirebook.specs.model")) > MOST
    assert for_file("specs/model.py") == {"tests/specs/test_model.py"}


def test_other_files_are_tested_by_what_names_them() -> None:
    assert "tests/test_house.py" in for_file("CONTRIBUTING.md")
    assert touched(["tests/test_words.py", "no/such.py"]) == ["tests/test_words.py"]
