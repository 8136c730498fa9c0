"""The digest of wirebook's own code, by which caches know what computed them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from wirebook.specs import own_code


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with two folders of modules, one of them behind a link."""
    top, outside = tmp_path / "package", tmp_path / "outside"
    for folder in (top / "one" / "deep", outside):
        folder.mkdir(parents=True)
    for path in (top / "one" / "b.py", top / "one" / "deep" / "a.py", outside / "c.py"):
        path.write_text("x = 1\n")
    (top / "one" / "__pycache__").mkdir()
    (top / "one" / "__pycache__" / "b.py").write_text("")
    (top / "one" / "notes.txt").write_text("")
    (top / "two").symlink_to(outside)
    monkeypatch.setattr(own_code, "PACKAGE", top)
    return top


def test_modules_come_in_one_order_and_through_links(package: Path) -> None:
    names = [path.relative_to(package).as_posix() for path in own_code.modules()]
    assert names == ["one/b.py", "one/deep/a.py", "two/c.py"]
    assert [path.name for path in own_code.modules("two", "one")] == ["c.py", "b.py", "a.py"]


def test_a_digest_depends_on_names_and_texts_only(package: Path) -> None:
    before = own_code.digest("one")
    assert re.fullmatch("[0-9a-f]{32}", before)
    os.utime(package / "one" / "b.py", (1, 1))
    (package / "two" / "c.py").write_text("x = 2\n")
    assert own_code.digest("one") == before
    (package / "one" / "b.py").write_text("x = 2\n")
    changed = own_code.digest("one")
    assert changed != before
    (package / "one" / "b.py").rename(package / "one" / "z.py")
    assert own_code.digest("one") not in (before, changed)


def test_a_stamp_depends_on_size_and_time(package: Path) -> None:
    path = package / "one" / "b.py"
    os.utime(path, ns=(1, 1))
    before = own_code.stamp("one")
    assert re.fullmatch("[0-9a-f]{32}", before)
    path.write_text("y = 1\n")
    os.utime(path, ns=(1, 1))
    assert own_code.stamp("one") == before
    os.utime(path, ns=(1, 2))
    changed = own_code.stamp("one")
    path.write_text("y = 12\n")
    os.utime(path, ns=(1, 1))
    assert len({before, changed, own_code.stamp("one")}) == 3
