"""The verdicts that an audit keeps beside its folder until it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirebook.docgen.pipeline.audit import KeptVerdicts
from wirebook.specs.problems import InputError


def test_an_interrupted_audit_goes_on_with_what_it_has_judged(tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    KeptVerdicts(folder).keep({"one": []})
    KeptVerdicts(folder).keep({"two": []})
    (part, other) = sorted((tmp_path / ".audit.wirebook-audit").iterdir())
    again = KeptVerdicts(folder)
    assert again.read() == {"one": [], "two": []}
    part.write_bytes(part.read_bytes()[:-5])
    assert len(KeptVerdicts(folder).read()) == 1
    again.forget()
    assert not part.exists()
    assert not other.exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError) as caught:
        KeptVerdicts(tmp_path / "file" / "audit").keep({"one": []})
    assert str(caught.value) == f"{tmp_path}/file/.audit.wirebook-audit: cannot be written: Not a directory"
