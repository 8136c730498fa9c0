"""Pages of releases: which APIs each serves, also by the names that they had at the time."""

from __future__ import annotations

import pytest

from tests.docgen.histories import own_pages

pytestmark = pytest.mark.xdist_group("book")


@pytest.mark.parametrize("release", ["3.9", "4.3"])
def test_a_renamed_api_has_its_former_name_beside_its_versions(release: str) -> None:
    page = str(own_pages()[f"releases/{release}/"].html)
    assert "<small>formerly ListClientMetricsResources</small>" in page
