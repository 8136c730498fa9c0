"""A Spark that is too old is one line."""

from __future__ import annotations

import pytest

from wirebook.docgen.pipeline.session import LOWEST, check_version
from wirebook.specs.problems import InputError


@pytest.mark.parametrize("version", ["3.5.9", "4.0.2", "4.1.0", "4.10.1", "5.0.0.dev1"])
def test_a_spark_that_is_too_old_is_one_line(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pyspark = pytest.importorskip("pyspark")
    monkeypatch.setattr(pyspark, "__version__", version)
    if version.startswith(("3", "4.0")):
        with pytest.raises(InputError, match=f"this needs Spark 4.1 or later, and PySpark here is {version}"):
            check_version()
    else:
        check_version()
    assert LOWEST == (4, 1)
