"""mkdocstrings gets the code that the pages document, and none of the rest."""

from __future__ import annotations

from pathlib import Path

from tests.support import ROOT
from wirebook.docgen.site.documented import only_documented


def test_pages_are_made_from_the_modules_that_they_name_and_those_that_define_what_they_name() -> None:
    options = {"handlers": {"python": {"options": {"heading_level": 3}}}}
    with only_documented({"mkdocstrings": options, "wirebook": None}, ROOT / "site_src") as plugins:
        python = plugins["mkdocstrings"]["handlers"]["python"]
        folder = Path(python["paths"][0])
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}
    assert {"wirebook/__init__.py", "wirebook/api.py", "wirebook/rules/agreement/relation.py"} <= files
    assert "wirebook/specs/model.py" in files, "which defines wirebook.api.Message"
    assert "wirebook/cli/main.py" not in files
    assert (python["options"], plugins["wirebook"]) == ({"heading_level": 3}, None)
    assert not folder.exists()


def test_a_site_without_documentation_of_code_has_its_plugins() -> None:
    with only_documented({"wirebook": None}, ROOT / "site_src") as plugins:
        assert plugins == {"wirebook": None}
