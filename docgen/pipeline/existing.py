"""The Spark that this process has already. Without it, nothing of Spark is imported."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""Set for PySpark by spark-submit and other programs that start Java before Python."""


def at_hand() -> bool:
    """Whether Spark was started for this process before us: by spark-submit, or by a program with a session.

    Loads nothing of Spark otherwise.
    """
    if os.environ.get(SUBMITTED):
        return True
    return "pyspark.sql" in sys.modules and existing_session(remote=True) is not None


def existing_session(*, remote: bool = False) -> SparkSession | None:
    """The caller's session; None if there is none.

    Raises InputError if it is one of Spark Connect, unless that will do (`remote`).
    """
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        session = SparkSession.active()
    except PySparkException:
        return None
    if remote and is_remote(session):
        return session
    try:
        session.sparkContext.defaultParallelism  # noqa: B018 - raises where it is stopped or has no context
    except PySparkException:
        raise InputError(
            "this needs a classic Spark session, and the active one is Spark Connect's"
        ) from None
    except AttributeError:
        return None
    return session


def is_remote(session: object) -> bool:
    """Whether a session is one of Spark Connect. Loads nothing of that."""
    return type(session).__module__.startswith("pyspark.sql.connect")
