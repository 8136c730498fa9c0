"""The whole site of `wirebook serve`, which follows the edits that were shown."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from wirebook.docgen.site import whole
from wirebook.docgen.site.watch import NOTHING, Changed
from wirebook.docgen.site.whole import WholeSite


def test_once_it_is_stopped_an_edit_updates_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "QUIET_SECONDS", 0.01)
    updates: list[Changed] = []
    site = WholeSite(tmp_path / "catalog", "http://127.0.0.1:8000/", updates.append, lambda: None)
    site.stop()
    site.want(NOTHING)
    time.sleep(0.2)
    assert updates == []
    assert site.take() is None
