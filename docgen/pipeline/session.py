"""The Spark session of a run: the caller's own if there is one, or else a new one that ends with the run."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
import threading
import uuid
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.docgen.pipeline import cluster, java, settings, work
from wirebook.docgen.pipeline.existing import SUBMITTED, existing_session, is_remote
from wirebook.docgen.pipeline.failures import (
    Log,
    ctrl_c_noticed,
    explained,
    open_log,
    quiet_accumulators,
    quiet_py4j,
    redirected,
)
from wirebook.docgen.progress import SILENT, Progress
from wirebook.specs.files import is_running
from wirebook.specs.own_code import PACKAGE, modules, tables
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

LOCAL = "local[*]"
LOWEST = (4, 1)  # 3.5 has neither DataFrame.toArrow nor tables of Arrow as data frames
STOP_SECONDS = 10.0
_SCRATCH = "wirebook-spark-"
_OURS = "spark.wirebook.run"


@contextmanager
def spark_session(
    master: str | None = None,
    *,
    large: bool = False,
    partitions: int = 2,
    conf: Mapping[str, str] | None = None,
    progress: Progress = SILENT,
    remote: bool = False,
) -> Iterator[SparkSession]:
    """The session to run on.

    That is the caller's session if this process has one: it keeps its settings and is not stopped. Otherwise
    it is a new one on `master` (default: that of the user's Spark configuration, or else local[*]), which is
    stopped at the end. `conf` are settings of a new session; the user's configuration comes next, then our
    defaults. `large` is for jobs of minutes: the settings that speed them up cost a short run seconds.
    `partitions` are those of a shuffle. `progress` prints the address of the web interface if a new session
    has one. `remote` is for jobs of data frames only, which may run in a session of Spark Connect (sc://).
    Failures of Spark inside are raised as InputError with one line.
    """
    check_version()
    own_settings = settings.checked_settings(conf or {})
    session = existing_session(remote=remote)
    with ExitStack() as stack:
        stack.enter_context(quiet_py4j())
        if (master or "").startswith(cluster.CONNECT) or is_remote(session):
            stack.enter_context(explained(cluster.named(master or "of the active session"), None))
            session = session or _connected(stack, master or "", own_settings, remote=remote)
            session.addArtifacts(str(_zipped()), pyfile=True)
        elif session is not None:
            stack.enter_context(explained(session.sparkContext.master or "of the active session", None))
            _ship(session.sparkContext)
            stack.enter_context(_safe_path(session.sparkContext))
        elif os.environ.get(SUBMITTED):
            stack.enter_context(explained(master or "that spark-submit names", None))
            session = _noted(stack.enter_context(_submitted(master, own_settings)), progress)
        else:
            session = _noted(_started(stack, master, own_settings, large, partitions), progress)
        stack.enter_context(ctrl_c_noticed())
        yield session


def check_version() -> None:
    """Raise InputError if PySpark is older than the oldest release that is known to work."""
    from pyspark import __version__ as installed

    numbers = tuple(int(part) for part in installed.split(".")[:2] if part.isdecimal())
    if numbers < LOWEST:
        lowest = ".".join(map(str, LOWEST))
        raise InputError(f"this needs Spark {lowest} or later, and PySpark here is {installed}")


def _noted(session: SparkSession, progress: Progress) -> SparkSession:
    address = session.sparkContext.uiWebUrl
    if address is not None:
        progress.note(f"Spark's web interface is at {address} until this run ends")
    return session


def _connected(
    stack: ExitStack, address: str, own_settings: Mapping[str, str], *, remote: bool
) -> SparkSession:
    """A session of our own on a server of Spark Connect."""
    from pyspark.errors import PySparkImportError
    from pyspark.sql import SparkSession

    if not remote:
        words = f"name a classic master, not {cluster.named(address)}"
        raise InputError(f"this job has parts that Spark Connect lacks: {words}")
    if address:
        cluster.check_reachable(address)
    try:
        session = SparkSession.builder.config(map=dict(own_settings)).remote(address).getOrCreate()
    except PySparkImportError as error:
        words = str(error).partition("] ")[2] or str(error)
        raise InputError(
            f"Spark Connect needs more packages: pip install 'pyspark[connect]' ({words})"
        ) from None
    stack.callback(_stop, session, False)
    return session


def context_of(session: SparkSession) -> SparkContext | None:
    """The context of a session; None for one of Spark Connect, which has none."""
    return None if is_remote(session) else session.sparkContext


@contextmanager
def _submitted(master: str | None, own_settings: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session in the Java process of spark-submit, whose options are the user's: none of ours are added."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.config(map=dict(own_settings))
    if master is not None:
        builder = builder.master(master)
    with _ctrl_c_kept():
        session = builder.getOrCreate()
        context = session.sparkContext
        beside: list[threading.Thread] = []
        with ExitStack() as stack:
            stack.callback(_join, beside)
            stack.callback(_stop, session, False)
            stack.enter_context(_safe_path(context))
            _ship(context)
            where = context.master or ""
            if not where.startswith("local"):
                beside += _guard(stack, context, where)
            yield session


def _guard(stack: ExitStack, context: SparkContext, master: str) -> list[threading.Thread]:
    """Wait for an executor of a cluster, and watch until `stack` ends whether all are lost; returns the
    threads that do so. Raises InputError if none comes.
    """
    patience = cluster.Patience.of(master, context.getConf().get(cluster.WAIT))
    over = threading.Event()
    stack.callback(over.set)
    first = cluster.await_executor(context, master, lambda: _wake(context), patience)
    return [first, cluster.watch_executors(context, over, patience)]


def _started(
    stack: ExitStack, master: str | None, own_settings: Mapping[str, str], large: bool, partitions: int
) -> SparkSession:
    """A session of our own, in a Java process that PySpark starts if this one has none yet."""
    spark_home = settings.spark_home()
    conf = settings.conf_folder(spark_home)
    submitted = settings.from_here({**settings.users_settings(conf), **own_settings})
    master = master or submitted.get("spark.master", LOCAL)
    local = master.startswith("local")
    java_home = java.find_java()
    if not local:
        cluster.check_reachable(master)
    host = "127.0.0.1" if local else cluster.own_address(master)
    all_settings = settings.defaults(host, local, large, partitions, _scratch()) | submitted
    if local and "spark.executorEnv.PYTHONPATH" in submitted:
        all_settings["spark.executorEnv.PYTHONPATH"] += f"{os.pathsep}{PACKAGE.parent}"
    if settings.JAVA_OPTIONS[0] not in submitted:
        flags = ["-Xlog:disable"]
        if not any(name in submitted for name in settings.JAVA_OPTIONS):
            flags = settings.java_flags(large, sized="spark.driver.memory" in submitted)
        has_log_settings = conf is not None and (conf / "log4j2.properties").exists()
        all_settings[settings.JAVA_OPTIONS[0]] = settings.java_options(flags, has_log_settings)
    log = open_log()
    quiet_accumulators()
    local_dir = os.environ.get("SPARK_LOCAL_DIRS") or all_settings.get("spark.local.dir")
    stack.enter_context(explained(master, log, local_dir if local else None))
    stack.enter_context(_ctrl_c_kept())
    all_settings[_OURS] = str(uuid.uuid4())
    environment = settings.start_environment(java_home, spark_home, local)
    spark = _build(master, all_settings, environment, log)
    context = spark.sparkContext
    if context.getConf().get(_OURS) != all_settings[_OURS]:
        # The caller has a context without a session: the builder has made the session for it.
        stack.enter_context(_safe_path(context))
        _ship(context)
        return spark
    beside: list[threading.Thread] = []
    stack.callback(_join, beside)
    stack.callback(_stop, spark, local)
    stack.enter_context(_safe_path(context))
    context.setLogLevel("ERROR")
    _set_for_tasks(context, all_settings)
    if local:
        # Python takes as long to start as the rest does: start both at once.
        beside.append(_aside(lambda: _wake(context)))
    else:
        _ship(context)
        beside += _guard(stack, context, master)
    return spark


def _set_for_tasks(context: SparkContext, conf: Mapping[str, str]) -> None:
    """A query passes its settings to its tasks; tasks whose rows go on to Python would run on defaults."""
    for name, value in conf.items():
        if name.startswith("spark.sql."):
            context.setLocalProperty(name, value)


def _build(
    master: str, all_settings: Mapping[str, str], environment: Mapping[str, str], log: Log
) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    # Java, Hadoop and the executors of a local session read files of the folder in which they start.
    folder = _scratch() / "start"
    folder.mkdir(exist_ok=True)
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        with redirected(log):
            if SparkContext._gateway is None:
                start = SparkConf(loadDefaults=False).setAll(
                    [*all_settings.items(), ("spark.master", master)]
                )
                gateway = launch_gateway(start, {"cwd": str(folder)})  # type: ignore[no-untyped-call]
                SparkContext._ensure_initialized(gateway=gateway)
            return SparkSession.builder.config(map=dict(all_settings)).master(master).getOrCreate()
    finally:
        for name, old in before.items():
            if old is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = old


def _stop(session: SparkSession, local: bool) -> None:
    """Stop a session of our own, without waiting forever for a cluster that does not answer."""

    def stop() -> None:
        with warnings.catch_warnings():
            # It warns if Java has ended before it, which is already reported as a failure.
            warnings.simplefilter("ignore")
            session.stop()

    if local:
        with suppress(Exception):
            stop()
    else:
        _aside(stop).join(STOP_SECONDS)


def _join(threads: Iterable[threading.Thread]) -> None:
    for thread in threads:
        thread.join(STOP_SECONDS)


def _aside(action: Callable[[], object]) -> threading.Thread:
    """A thread that runs something whose failure is harmless."""

    def run() -> None:
        with suppress(Exception):
            action()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


@contextmanager
def _ctrl_c_kept() -> Iterator[None]:
    """Restore the caller's handler of Ctrl-C, which a new Spark context replaces."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


# -- Python beside the executors ------------------------------------------------------------------


@contextmanager
def _safe_path(context: SparkContext) -> Iterator[None]:
    """Keep the current folder of an executor out of the path of our Python there, in the block.

    `python -m`, with which Spark starts it, puts that folder first: a `pyspark/` of a checkout would run.
    """
    before = dict(context.environment)
    context.environment.update(settings.SAFE_PATH)
    try:
        yield
    finally:
        context.environment.clear()
        context.environment.update(before)


def _wake(context: SparkContext) -> None:
    """Start Python for every core, with everything that our work there imports."""
    cores = min(context.defaultParallelism, 16)
    context.parallelize(range(cores), cores).mapPartitions(import_work).count()


def import_work(_: Iterable[int]) -> list[int]:
    """Import what executors run."""
    return [len(work.__name__)]


def _ship(context: SparkContext) -> None:
    """Send our code to the executors, whose Python may lack it."""
    if context.applicationId not in _SHIPPED:
        context.addPyFile(str(_zipped()))
        _SHIPPED.add(context.applicationId)


_SHIPPED: set[str] = set()


@cache
def _zipped() -> Path:
    """Our packages as an archive; it stays until this process ends, since an executor may start late."""
    target = _scratch() / "wirebook.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in (*modules(), *tables()):
            packed.write(path, path.relative_to(PACKAGE.parent).as_posix())
    return target


# -- files ----------------------------------------------------------------------------------------


@cache
def _scratch() -> Path:
    """A folder for what Spark writes, removed when this process ends; those of killed runs are removed now.

    Spark's Java process lives as long as this one, and keeps writing to the folder of its first session.
    """
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _sweep() -> None:
    """Remove the scratch folders of runs that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        number = folder.name.removeprefix(_SCRATCH).partition("-")[0]
        with suppress(OSError):
            ours = number.isdecimal() and folder.lstat().st_uid == os.getuid()
            if ours and not is_running(int(number)):
                shutil.rmtree(folder, ignore_errors=True)
