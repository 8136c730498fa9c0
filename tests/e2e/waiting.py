"""Waiting for what a page shows: actions return before the scripts that they start have run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from playwright.sync_api import Page, expect

__all__ = ["PATIENCE", "expect", "expect_value", "settled"]

# Longer than anything takes on a slow machine with other work to do: it only limits how long a
# failure takes.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)

T = TypeVar("T")


def expect_value(page: Page, read: Callable[[], T], wanted: T, where: str = "") -> None:
    """Wait until `read` returns what is wanted; for what `expect` has no assertion for.

    Raises AssertionError with what it returns instead, and where, after as long as `expect` waits.
    """
    until = time.monotonic() + PATIENCE / 1000
    while (found := read()) != wanted and time.monotonic() < until:
        page.wait_for_timeout(20)
    assert found == wanted, where


def settled(page: Page) -> None:
    """Wait until no transition runs: colours and places in the middle of one are nobody's
    choice."""
    page.wait_for_function(
        "() => document.getAnimations().every((each) => each.playState !== 'running')"
    )
