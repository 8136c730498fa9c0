"""Random patches on which the check and the bytes agree; `make prove` tries more of them."""

from __future__ import annotations

import pytest

from tests.prove.run import judge

pytestmark = pytest.mark.long

CASES = 2000
PARTS = 8  # each fits in one process of a test run


@pytest.mark.parametrize(
    "part",
    [pytest.param(part, marks=pytest.mark.xdist_group(f"prove-{part}")) for part in range(PARTS)],
)
def test_the_check_is_right_about_random_patches(part: int) -> None:
    report = judge(range(part, CASES, PARTS))
    assert report.found == {}
    assert report.cases / 4 < report.breaking < report.cases * 0.85
