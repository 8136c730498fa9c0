"""`wirebook build --untrusted` in a hostile checkout, and in an honest one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(sys.platform == "win32", reason="the limits are those of POSIX"),
]

HOOK = "open({marker!r}, 'a').write(__name__)\ndef on_config(config):\n    return config\n"
SETTINGS = """\
site_name: Hostile
hooks: [hook.py]
INHERIT: parent.yml
docs_dir: docs
site_dir: elsewhere
theme: {name: material, font: false, custom_dir: overrides}
extra_javascript: [evil.js]
copyright: "<script>1</script>"
markdown_extensions:
  - pymdownx.snippets: {base_path: [/]}
  - evil_extension
plugins:
  - evil_plugin
  - wirebook: {templates: own}
extra:
  a: !!python/object/apply:os.system ["touch MARKER"]
  b: !ENV [SECRET, none]
"""
OWN = "{{ cycler.__init__.__globals__.os.system('touch MARKER') }}"
ISOLATED = "wirebook: this system isolates no network; --untrusted keeps only Python off it"


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "wirebook.cli.main", "build", ".", "--quiet", *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "SECRET": "a-secret"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def otter(folder: Path) -> Path:
    shutil.copytree(ROOT / "examples" / "otter", folder)
    return folder


@pytest.mark.long
def test_nothing_of_a_hostile_checkout_runs(tmp_path: Path) -> None:
    checkout, marker = otter(tmp_path / "checkout"), tmp_path / "ran"
    hook = HOOK.format(marker=str(marker))
    for name in ("hook.py", "evil_plugin.py", "evil_extension.py", "pyspark.py", "sitecustomize.py"):
        (checkout / name).write_text(hook)
    (checkout / "mkdocs.yml").write_text(SETTINGS.replace("MARKER", str(marker)))
    (checkout / "parent.yml").write_text("hooks: [hook.py]\n")
    (checkout / "docs" / "evil.js").write_text("1")
    (tmp_path / "secret.md").write_text("a-secret")
    (checkout / "docs" / "included.md").write_text("# Included\n\n--8<-- 'etc/hostname'\n")
    for place in ("own", "overrides"):
        (checkout / place).mkdir()
        for name in ("main.html", "api.html.jinja", "index.html.jinja"):
            (checkout / place / name).write_text(OWN.replace("MARKER", str(marker)))
    # The traps are real: a plain build trusts them.
    plain = build(checkout)
    assert plain.returncode == 2
    (checkout / "mkdocs.yml").write_text("hooks: [hook.py]\nsite_name: a\nplugins: [search, wirebook]\n")
    assert build(checkout).returncode == 0
    assert marker.read_text()
    marker.unlink()
    shutil.rmtree(checkout / "site")
    (checkout / "mkdocs.yml").write_text(SETTINGS.replace("MARKER", str(marker)))

    done = build(checkout, "--untrusted")
    assert done.returncode == 0, done.stderr
    ignored = [line for line in done.stderr.splitlines() if line != ISOLATED]
    assert ignored == [
        "wirebook: mkdocs.yml: --untrusted ignores hooks, INHERIT, site_dir, theme.custom_dir, "
        "extra_javascript, copyright, markdown_extensions.pymdownx.snippets, "
        "markdown_extensions.evil_extension, plugins.evil_plugin, plugins.wirebook.templates, "
        "extra, 1 other files of docs"
    ]
    assert not marker.exists()
    assert not (checkout / "elsewhere").exists()
    site = files(checkout / "site")
    assert b"Hostile" in site["index.html"]
    assert "evil.js" not in site
    assert not any(b"a-secret" in content or b"<script>1</script>" in content for content in site.values())


@pytest.mark.long
def test_an_honest_site_has_the_same_pages(tmp_path: Path) -> None:
    checkout = otter(tmp_path / "checkout")
    assert build(checkout).returncode == 0
    plain = files(checkout / "site")
    done = build(checkout, "--untrusted", "--site-dir", "other")
    assert done.returncode == 0
    assert set(done.stderr.splitlines()) <= {ISOLATED}
    assert files(checkout / "other") == plain


@pytest.mark.parametrize("link", ["site", "build", "build/catalog"])
def test_nothing_is_written_through_a_link(link: str, tmp_path: Path) -> None:
    checkout, outside = otter(tmp_path / "checkout"), tmp_path / "outside"
    outside.mkdir()
    (checkout / link).parent.mkdir(exist_ok=True)
    (checkout / link).symlink_to(outside)
    done = build(checkout, "--untrusted")
    assert done.returncode == 2
    assert "is or is below a link, through which --untrusted does not write" in done.stderr
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "options", [("--master", "spark://127.0.0.1:1"), ("--tables", "s3a://bucket/folder")]
)
def test_options_that_need_a_network_are_refused(options: tuple[str, str], tmp_path: Path) -> None:
    done = build(otter(tmp_path / "checkout"), "--untrusted", *options)
    assert done.returncode == 2
    assert "wirebook: --untrusted runs on this machine only" in done.stderr


@pytest.mark.long
def test_pages_of_a_profile_name_no_modules(tmp_path: Path) -> None:
    checkout = otter(tmp_path / "checkout")
    (checkout / "mkdocs.yml").unlink()
    profile = (checkout / "profile.toml").read_text()
    (checkout / "profile.toml").write_text(f'{profile}home = "docs/index.md"\n')
    with (checkout / "docs" / "index.md").open("a") as page:
        page.write("\n::: antigravity\n")
    done = build(checkout, "--untrusted")
    assert done.returncode == 2
    assert 'wirebook: index.md: must not contain ":::" with --untrusted' in done.stderr
    assert not (checkout / "site").exists()
