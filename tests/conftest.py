"""Configuration of all tests: which ones share a process, and how many examples hypothesis
makes."""

from __future__ import annotations

import gc
import os
import re
import shutil
from pathlib import Path
from zlib import crc32

import pytest

from tests.profiles import register
from tests.rules.check.running import check
from tests.shared import begin_run, end_run, remove_temporary
from tests.support import history_repo
from wirebook.cli.hook import FROM, PUSHED, PUSHED_TO, TO
from wirebook.rules.check.sides import CI_TARGETS

# Fixtures of tests in several folders.
__all__ = ["check"]

register()
begin_run()
# In CI, they name branches of this repository, which those of tests lack.
for variable in (*CI_TARGETS, FROM, TO, PUSHED, PUSHED_TO):
    os.environ.pop(variable, None)
# Collecting makes millions of objects and no garbage: without searches for it, it takes a fifth
# less time.
gc.disable()


# Groups that take minutes: they begin first, so that none of them runs at the end while a core is
# idle.
LONG = ("spark", "site", "browser", "foreign", "clients", "distributions")


_ALL_LONG = re.compile(r"^pytestmark = (?:.*|\[\n(?: .*\n)*?) *pytest\.mark\.long\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of which `make test` runs nothing: each process would import them."""
    if config.getoption("markexpr") != "not long" or not collection_path.name.startswith("test_"):
        return None
    return True if _ALL_LONG.search(collection_path.read_text(encoding="utf-8")) else None


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of every search for garbage, and search less often than by
    default."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file in one process, so that what they share (a session, a site) is made
    once.

    A file whose tests share something with another file's says so:
    `pytest.mark.xdist_group("spark")`. Of the cases of a test with `pytest.mark.share(4)`, one in
    four runs in `make test`, always the same ones, and the others run in `make test-long`.
    """
    for item in items:
        share = item.get_closest_marker("share")
        if share is not None and crc32(item.name.encode()) % share.args[0]:
            item.add_marker(pytest.mark.long)
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    mark = item.get_closest_marker("xdist_group")
    name = mark.args[0] if mark is not None else ""
    return LONG.index(name) if name in LONG else len(LONG)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Remove built sites, wheels and clones of the history, which each process may have created."""
    end_run()
    remove_temporary()
    if history_repo.cache_info().currsize:
        shutil.rmtree(history_repo().parent, ignore_errors=True)
