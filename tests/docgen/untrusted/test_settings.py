"""Of a mkdocs.yml that nobody has reviewed, only harmless keys count."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT
from wirebook.docgen.site.mkdocs_config import read_settings
from wirebook.docgen.untrusted.settings import Harmless, check_own_pages, harmless_config
from wirebook.specs.problems import InputError

HEAD = "site_name: Harmless\nplugins: [search, wirebook]\n"


def read(folder: Path, text: str) -> tuple[dict[str, Any], Harmless]:
    """What MkDocs reads of the copy, and what is ignored."""
    (folder / "mkdocs.yml").write_text(text)
    with harmless_config(folder) as harmless:
        return read_settings(harmless.config.file), harmless


def test_the_settings_of_an_honest_site_all_count() -> None:
    with harmless_config(ROOT / "examples" / "otter") as harmless:
        copy = read_settings(harmless.config.file)
        pages = {path.name for path in harmless.config.file.parent.rglob("*.*")}
    assert harmless.ignored == ()
    assert {"index.md", "session.md", "logo.svg"} <= pages
    own = read_settings(ROOT / "examples" / "otter" / "mkdocs.yml")
    assert {key: copy[key] for key in ("site_name", "site_description", "theme", "nav")} == {
        key: own[key] for key in ("site_name", "site_description", "theme", "nav")
    }
    assert copy["plugins"] == {"search": {}, "wirebook": {"nav": "Protocol"}}


@pytest.mark.share(2)
@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        ("hooks: [hook.py]", "hooks"),
        ("INHERIT: other.yml", "INHERIT"),
        ("extra_javascript: [evil.js]", "extra_javascript"),
        ("extra_css: [a.css]", "extra_css"),
        ("extra: {analytics: {provider: x}}", "extra"),
        ("site_dir: ../elsewhere", "site_dir"),
        ("watch: [/etc]", "watch"),
        ("copyright: <script>1</script>", "copyright"),
        ("site_url: 'javascript:alert(1)'", "site_url"),
        ("site_author: !ENV HOME", "site_author"),
        ("site_author: !!python/object/apply:os.system [touch ran]", "site_author"),
        ("site_author: !!python/name:os.system", "site_author"),
        ("nav: [{Home: '../../etc/passwd.md'}]", "nav"),
        ("nav: [{Home: 'javascript:alert(1)'}]", "nav"),
        ("theme: {name: evil}", "theme"),
        ("theme: {name: material, custom_dir: overrides}", "theme.custom_dir"),
        ("theme: {name: material, favicon: 'https://x/a.png'}", "theme.favicon"),
        ("theme: {name: material, logo: ../a.png}", "theme.logo"),
        ("theme: {name: material, palette: {primary: 'red\"><script>'}}", "theme.palette.primary"),
        ("markdown_extensions: [evil]", "markdown_extensions.evil"),
        ("markdown_extensions: [{toc: {a: !!python/name:os.system }}]", "markdown_extensions.toc.a"),
        ("markdown_extensions: {pymdownx.snippets: {base_path: /}}", "markdown_extensions.pymdownx.snippets"),
    ],
)  # fmt: skip
def test_a_key_that_could_run_or_reach_something_is_ignored(text: str, ignored: str, tmp_path: Path) -> None:
    (tmp_path / "other.yml").write_text("hooks: [hook.py]\n")
    plain, _ = read(tmp_path, HEAD)
    copy, harmless = read(tmp_path, f"{HEAD}{text}\n")
    assert harmless.ignored == (ignored,)
    key = ignored.split(".")[0]
    assert copy.keys() - plain.keys() <= {key} - {"hooks", "INHERIT", "nav"}
    assert "os.system" not in str(copy)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("option", "ignored"),
    [("templates: evil", "templates"), ("catalog: /", "catalog"), ("folder: ../..", "folder")],
)
def test_options_of_the_plugin_that_name_files_are_ignored(option: str, ignored: str, tmp_path: Path) -> None:
    copy, harmless = read(tmp_path, f"plugins:\n  - macros\n  - wirebook:\n      {option}\n")
    assert harmless.ignored == ("plugins.macros", f"plugins.wirebook.{ignored}")
    assert copy["plugins"] == {"wirebook": {}}


def test_without_our_plugin_the_built_in_configuration_counts(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("hooks: [hook.py]\nplugins: [search]\n")
    with harmless_config(tmp_path) as harmless:
        assert harmless.config.is_builtin
        assert harmless.config.site_dir == tmp_path / "site"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &a [x]\nb: [*a, *a]\n", "mkdocs.yml:2:5: --untrusted reads no aliases of YAML"),
        ("a: " + "[" * 99 + "]" * 99, "mkdocs.yml:1:23: is nested more than 20 levels deep"),
        ("a: [", "mkdocs.yml:1:5: this is not YAML: "),
        ("a: 2020-99-99", "mkdocs.yml: this is not YAML: month must be in 1..12"),
        ("- a", "mkdocs.yml: is not a MkDocs configuration"),
        ("a: '" + "x" * (256 << 10) + "'", "mkdocs.yml: this is larger than 256 KiB"),
        (HEAD + "docs_dir: ..", 'mkdocs.yml: "docs_dir" is "..", which is not a folder of the checkout'),
        (HEAD + "docs_dir: /etc", 'mkdocs.yml: "docs_dir" is "/etc", which is not a folder'),
        (HEAD + "docs_dir: linked", 'mkdocs.yml: "docs_dir" is "linked", which is not a folder'),
        (HEAD + "docs_dir: with", "with/link.md: is a link, which --untrusted does not follow"),
        (HEAD + "docs_dir: deep", "deep/folder: is a link, which --untrusted does not follow"),
        (HEAD + "docs_dir: piped", "piped/pipe.md: this is not a regular file"),
        (HEAD + "docs_dir: drawn", "drawn/a.svg:1:1: an SVG image of a site must not have the element"),
    ],
)
def test_what_stops_the_build(text: str, words: str, tmp_path: Path) -> None:
    top = tmp_path / "checkout"
    for name in ("with", "deep", "piped", "drawn"):
        (top / name).mkdir(parents=True)
    (tmp_path / "secret.md").write_text("secret")
    (top / "linked").symlink_to(tmp_path)
    (top / "with" / "link.md").symlink_to("../../secret.md")
    (top / "deep" / "folder").symlink_to("../..")
    os.mkfifo(top / "piped" / "pipe.md")
    (top / "drawn" / "a.svg").write_text("<script/>")
    with pytest.raises(InputError) as caught:
        read(top, text)
    assert str(caught.value).startswith(words)


def test_settings_that_are_a_link_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real.yml").write_text(HEAD)
    (tmp_path / "mkdocs.yml").symlink_to("real.yml")
    with pytest.raises(InputError, match=r"^mkdocs\.yml: is a link, which"), harmless_config(tmp_path):
        pass


def test_only_pages_and_images_are_copied(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("index.md", "a.png", "evil.js", "evil.html", ".hidden.md"):
        (docs / name).write_text("x")
    (tmp_path / "mkdocs.yml").write_text(HEAD)
    with harmless_config(tmp_path) as harmless:
        copied = harmless.config.file.parent / "docs"
        assert sorted(path.name for path in copied.iterdir()) == ["a.png", "index.md"]
        assert harmless.ignored == ("3 other files of docs",)


def test_pages_that_name_modules_are_refused(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    page = tmp_path / "guide" / "a.md"
    page.write_text("# Title\n\n: : :\n")
    check_own_pages(tmp_path)
    page.write_text("# Title\n\n> ::: antigravity\n")
    with pytest.raises(InputError, match=r'^guide/a\.md: must not contain ":::" with --untrusted'):
        check_own_pages(tmp_path)
