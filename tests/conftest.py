"""What holds for every test: which ones share a process, and how properties are searched."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import HealthCheck, settings

from tests.distributions import remove_distributions
from tests.docgen.histories import remove_histories
from tests.docgen.sites import remove_sites
from tests.support import history_repo

# How long an example takes says more about the machine than about the code.
settings.register_profile(
    "wirebook", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("wirebook")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file in one process, so that what they share (a session, a site) is made once.

    A file whose tests share something with another file's says so: `pytest.mark.xdist_group("spark")`.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def pytest_sessionfinish() -> None:
    """Leave no built site, no wheel and no clone of the history behind: each process may have made one."""
    remove_distributions()
    remove_sites()
    remove_histories()
    if history_repo.cache_info().currsize:
        shutil.rmtree(history_repo().parent, ignore_errors=True)
