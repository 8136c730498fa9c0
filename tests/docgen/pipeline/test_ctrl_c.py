"""Ctrl-C during a job of Spark ends as Ctrl-C does everywhere."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from wirebook.docgen.pipeline.failures import ctrl_c_noticed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")


def fail(*, pressed: bool) -> None:
    """A job that is cancelled."""
    with ctrl_c_noticed():
        if pressed:
            os.kill(os.getpid(), signal.SIGINT)
        raise RuntimeError("cancelled as part of cancellation of all jobs")


def test_a_job_that_fails_because_of_ctrl_c_is_not_a_failure_of_the_cluster() -> None:
    before = signal.getsignal(signal.SIGINT)
    # As Spark's handler, with a KeyboardInterrupt that a cleanup swallows.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        with pytest.raises(KeyboardInterrupt):
            fail(pressed=True)
        with pytest.raises(RuntimeError):
            fail(pressed=False)
    finally:
        signal.signal(signal.SIGINT, before)
