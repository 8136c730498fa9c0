"""One browser for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.browsers import launched


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    with launched() as running:
        yield running
