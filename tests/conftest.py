"""Configuration of all tests: which ones share a process, and the hypothesis profile."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import HealthCheck, settings

from tests.distributions import remove_distributions
from tests.docgen.histories import remove_histories
from tests.docgen.sites import remove_sites
from tests.support import history_repo

# The time of an example depends more on the machine than on the code.
settings.register_profile(
    "wirebook", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("wirebook")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of a file in one process, so that what they share (a session, a site) is created once.

    Mark files that share something with each other: `pytest.mark.xdist_group("spark")`.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def pytest_sessionfinish() -> None:
    """Remove built sites, wheels and clones of the history, which each process may have created."""
    remove_distributions()
    remove_sites()
    remove_histories()
    if history_repo.cache_info().currsize:
        shutil.rmtree(history_repo().parent, ignore_errors=True)
