"""The Spark session of a run: the caller's own if there is one, or else a new one that ends with
the run."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from wirebook.docgen.pipeline.java import find_java
from wirebook.specs.own_code import PACKAGE, modules, tables
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*]"
EXECUTOR_SECONDS = 60.0
# Set for PySpark by spark-submit and other programs that start Java before Python.
SUBMITTED = "PYSPARK_GATEWAY_PORT"
_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
_DEFAULTS = {
    "spark.app.name": "wirebook",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # A run takes seconds, and its work is done by Python: Java has to start quickly.
    "spark.driver.defaultJavaOptions": f'"-Dlog4j2.configurationFile={_LOG_SETTINGS}" '
    "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:disable",
    # `python -m`, with which Spark starts its workers, puts the current folder first in the path: a
    # `pyspark/` of a checkout would run.
    "spark.executorEnv.PYTHONSAFEPATH": "1",
}


@contextmanager
def spark_session(
    master: str | None = None, *, partitions: int = 2, conf: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """The session to run on.

    That is the caller's session if this process has one: it keeps its settings and is not stopped.
    Otherwise it is a new one on `master` (default: local[*]), which is stopped at the end. `conf`
    are settings of a new session, `partitions` those of a shuffle. Failures of Spark inside are
    raised as InputError with one line.
    """
    with tempfile.TemporaryFile("a+b", prefix="wirebook-log-") as file:
        log = cast(BinaryIO, file)
        with explained(log):
            session, is_new = _existing(), False
            if session is None:
                session, is_new = _started(master, dict(conf or {}), partitions, log)
            try:
                if is_new:
                    _await_executor(session)
                if not str(session.sparkContext.master).startswith("local"):
                    # The Python of a cluster's executors may lack our code.
                    session.sparkContext.addPyFile(str(_zipped()))
                yield session
            finally:
                if is_new:
                    _stop(session)


def at_hand() -> bool:
    """Whether Spark was started for this process before us: by spark-submit, or by a program with a
    session.

    Loads nothing of Spark otherwise.
    """
    return bool(os.environ.get(SUBMITTED)) or (
        "pyspark.sql" in sys.modules and _existing() is not None
    )


def _existing() -> SparkSession | None:
    """The caller's session that runs, None if there is none. Raises InputError if it is Spark
    Connect's."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        session = SparkSession.active()
    except PySparkException:
        return None
    try:
        session.sparkContext.defaultParallelism  # noqa: B018 - raises where it is stopped or has no context
    except PySparkException:
        raise InputError(
            "this needs a classic Spark session, and the active one is Spark Connect's"
        ) from None
    except AttributeError:
        return None
    return session


def _started(
    master: str | None, conf: dict[str, str], partitions: int, log: BinaryIO
) -> tuple[SparkSession, bool]:
    """A session in a Java process, which is started unless this one has it, and whether it is new.

    Under spark-submit, the settings are the user's: none of ours are added.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    is_new = SparkContext._active_spark_context is None
    if is_new and not os.environ.get(SUBMITTED):
        conf = {**_DEFAULTS, "spark.sql.shuffle.partitions": str(partitions), **conf}
        conf["spark.master"] = master = master or conf.get("spark.master", LOCAL)
        if not re.match(r"(local|yarn$|(spark|k8s)://)", master):
            raise InputError(
                f'"{master}" is not a Spark master; write local[*] or spark://HOST:PORT'
            )
        _start_java(conf, log)
    elif is_new and master is not None:
        conf["spark.master"] = master
    return SparkSession.builder.config(map={**conf}).getOrCreate(), is_new


def _start_java(conf: Mapping[str, str], log: BinaryIO) -> None:
    """Start Java so that it writes into the log and not to the terminal."""
    import pyspark
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    # PySpark keeps its Java process, and these variables name the programs of its tasks.
    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if SparkContext._gateway is not None:
        return
    os.environ["JAVA_HOME"] = str(find_java())
    if conf["spark.master"].startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    start = SparkConf(loadDefaults=False).setAll(list(conf.items()))
    gateway = launch_gateway(start, {"stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
    SparkContext._ensure_initialized(gateway=gateway)


def _stop(session: SparkSession) -> None:
    # It fails, or warns, if Java has ended before it, which is already reported.
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session.stop()


def _await_executor(session: SparkSession) -> None:
    """Raise InputError if a standalone cluster gives no executor: Spark itself would wait
    forever."""
    context = session.sparkContext
    if not str(context.master).startswith("spark://"):
        return
    until = time.monotonic() + EXECUTOR_SECONDS
    # The first is the driver.
    while len(context._jsc.sc().statusTracker().getExecutorInfos()) < 2:
        if time.monotonic() > until:
            raise InputError(
                f"the Spark master {context.master} gave no executor within "
                f"{EXECUTOR_SECONDS:.0f} seconds: "
                "it has no free worker with the cores and the memory of spark.executor.*"
            )
        time.sleep(0.2)


@cache
def _zipped() -> Path:
    """Our packages as an archive; it stays until this process ends, since an executor may start
    late."""
    folder = Path(tempfile.mkdtemp(prefix="wirebook-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(folder / "wirebook.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path in (*modules(), *tables()):
            packed.write(path, path.relative_to(PACKAGE.parent).as_posix())
    return folder / "wirebook.zip"


@contextmanager
def explained(log: BinaryIO) -> Iterator[None]:
    """Raise InputError with one line for what PySpark and py4j raise in the block.

    `log` is what Spark's Java process writes. What py4j raises because of Ctrl-C is a
    KeyboardInterrupt.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    # py4j logs lost connections with a traceback, which Python prints if nobody handles it.
    quiet = logging.NullHandler()
    logging.getLogger().addHandler(quiet)
    try:
        yield
    except (Py4JError, PySparkException, ConnectionError, EOFError) as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, KeyboardInterrupt):
                raise KeyboardInterrupt from error
            cause = cause.__context__
        text = str(error)
        if "JAVA_GATEWAY_EXITED" in text or isinstance(error, ConnectionError | EOFError):
            log.seek(0)
            text = log.read().decode(errors="replace") or text
        raise InputError(f"Spark failed: {reason(text)}") from error
    finally:
        logging.getLogger().removeHandler(quiet)


def reason(text: str) -> str:
    """The line of a failure that has its reason: Spark's own message is pages long."""
    _, traceback, raised = text.rpartition("Traceback (most recent call last)")
    if traceback:
        # The first line that is not indented has the exception of Python.
        found = re.search(r"^\S.*", raised.partition("\n")[2], re.MULTILINE)
        if found is not None:
            return str(found[0]).strip()
    # Java always ends with these lines.
    text = re.sub(r"(?m)^(WARNING|Error: (Could not create|A fatal)).*\n?", "", text).strip()
    causes = re.findall(r"^(?:Caused by)?: ([^\n]+)", text, re.MULTILINE)
    unread = re.search(r"FAILED_READ_FILE\S*[^\n]* file ([^\n]+?)\.\s", text)
    if unread is not None and causes:
        return f"{unread[1]} cannot be read: {causes[-1].strip()}"
    errors = re.findall(r"^[^\n]*(?:[Ee]rror|[Ee]xception|[Ii]nvalid)[^\n]*", text, re.MULTILINE)
    lines = [*causes[-1:], *errors[:1], *text.splitlines()[:1], "no reason given"]
    return str(lines[0]).strip()
