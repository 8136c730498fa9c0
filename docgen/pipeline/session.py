"""A Spark session that starts fast, says nothing, and turns its failures into one line."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.docgen.pipeline import archive, java
from wirebook.specs.code import PACKAGE, modules
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

START_SECONDS = 120.0
MASTER_SECONDS = 5.0
EXECUTOR_SECONDS = 60.0
LOST_SECONDS = 30.0
DRIVER_MEMORY = "900m"

# What Spark's own launcher adds (org.apache.spark.launcher.JavaModuleOptions), but for the module that
# only its vectorised linear algebra wants.
_OPENED = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent "
    "java.util.concurrent.atomic jdk.internal.ref sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar"
)
_MODULES = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED.split()),
    "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
)
# What of Spark's 280 jars is for other work than ours: machine learning (which hooks itself into each
# session), Hive, streams, notebooks. What Java does not find in the first jar it looks for in all others.
_UNUSED = (
    "spark-mllib", "spark-graphx", "spark-streaming", "spark-hive", "spark-connect", "spark-pipelines",
    "spark-repl", "hive-", "datanucleus-", "derby", "breeze", "spire", "algebra", "cats-", "arpack", "blas",
    "lapack", "JLargeArrays", "JTransforms", "libthrift", "libfb303",
)  # fmt: skip
_MANAGERS = ("spark-kubernetes", "spark-yarn", "kubernetes-", "volcano-", "vertx-")
_SCRATCH = "wirebook-spark-"

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.join.preferSortMergeJoin": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ui.retainedExecutions": "1",
    "spark.rdd.compress": "true",
    "spark.python.worker.reuse": "true",
    "spark.task.maxFailures": "3",
}

# For a few thousand rows: compiling the code of a query takes longer than running it, and a large page
# for every sort and every table of groups fills the memory with nothing.
_SMALL = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.buffer.pageSize": "512k",
}

_LOG_SETTINGS = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c{1}: %m%n%ex
"""


@contextmanager
def spark_session(
    master: str, *, large: bool = False, partitions: int = 2, settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A session on `master`, gone with all its files at the end.

    `large` is for work of minutes: what pays then costs a short run seconds. `partitions` are those of a
    shuffle. `settings` are Spark's own and come last. Whatever fails inside, in Spark's way, is raised as
    InputError with one line.
    """
    local = master.startswith("local")
    home = java.find_java()
    if not local:
        _reachable(master)
    _sweep()
    scratch = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-"))
    log = scratch / "log"
    jvm: _Jvm | None = None
    try:
        jvm = _Jvm(home, scratch, log, master, large)
        jvm.start()
        with _explained(master, log):
            shuffles = {"spark.sql.shuffle.partitions": str(partitions)}
            spark = _connect(jvm, master, local, scratch, shuffles | dict(settings or {}))
        stop_watching = threading.Event()
        try:
            with _explained(master, log):
                if not local:
                    _await_executors(spark, master)
                    _watch_executors(spark, stop_watching)
                yield spark
        finally:
            stop_watching.set()
            _forget(spark, local)
    finally:
        if jvm is not None:
            jvm.stop()
        shutil.rmtree(scratch, ignore_errors=True)


class _Jvm:
    """The Java process of the driver: started without Spark's shell scripts, gone when we are."""

    def __init__(self, home: Path, scratch: Path, log: Path, master: str, large: bool) -> None:
        import pyspark

        self.spark_home = Path(pyspark.__file__).resolve().parent
        self.home = home
        self.scratch = scratch
        self.log = log
        self.local = master.startswith("local")
        self.large = large
        collector = "-XX:+UseParallelGC" if self.large else "-XX:+UseSerialGC"
        compiler = [] if self.large else ["-XX:TieredStopAtLevel=1"]
        # Room from the start: growing into it would mean one collection after another.
        room = [f"-Xmx{DRIVER_MEMORY}", "-Xms500m", "-XX:MetaspaceSize=200m"]
        room += [] if self.large else ["-Xmn300m"]
        self.flags = [
            *room,
            *compiler,
            collector,
            "-XX:-UsePerfData",
            "-Xlog:disable",
        ]
        self.class_path = _class_path(self.spark_home, master)
        self.archive = archive.Archive.none()
        if not self.large:
            self.archive = archive.Archive.find(home, self.spark_home, [*self.flags, self.class_path])
        self.process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.secret = ""

    def start(self) -> None:
        """Start it and read where it listens; raises InputError where it does not come up."""
        info = self.scratch / "gateway"
        conf = self.scratch / "conf"
        conf.mkdir()
        (conf / "log4j2.properties").write_text(_LOG_SETTINGS, encoding="utf-8")
        environment = dict(os.environ)
        for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "SPARK_HOME", "PYSPARK_SUBMIT_ARGS"):
            environment.pop(name, None)
        if self.local:
            environment.pop("SPARK_CONF_DIR", None)
            environment["SPARK_CONF_DIR"] = str(conf)
            environment["SPARK_LOCAL_IP"] = "127.0.0.1"
            environment["SPARK_LOCAL_HOSTNAME"] = "localhost"
            environment["PYTHONPATH"] = str(PACKAGE.parent)
        environment |= {
            "SPARK_HOME": str(self.spark_home),
            "SPARK_CONNECT_MODE": "0",
            "_PYSPARK_DRIVER_CONN_INFO_PATH": str(info),
            "PYTHONHASHSEED": "0",
        }
        command = [
            str(self.home / "bin" / "java"),
            *self.flags,
            *self.archive.flags,
            *_MODULES,
            f"-Dlog4j2.configurationFile={conf / 'log4j2.properties'}",
            f"-Djava.io.tmpdir={self.scratch}",
            "-cp",
            self.class_path,
            "org.apache.spark.deploy.SparkSubmit",
            "pyspark-shell",
        ]
        with self.log.open("wb") as log:
            try:
                # A session of its own: Ctrl-C is for us alone, and we end Java in our own time.
                self.process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    env=environment,
                    cwd=self.scratch,
                    start_new_session=True,
                )
            except OSError as error:
                raise InputError(f"Java does not start: {error.strerror}", command[0]) from None
        deadline = time.monotonic() + START_SECONDS
        while not info.exists():
            if self.process.poll() is not None:
                raise InputError(f"Java ended before Spark was up: {_last_words(self.log)}")
            if time.monotonic() > deadline:
                raise InputError(f"Spark did not come up within {START_SECONDS:.0f} seconds")
            time.sleep(0.01)
        told = info.read_bytes()
        self.port = int.from_bytes(told[:4], "big")
        self.secret = told[8 : 8 + int.from_bytes(told[4:8], "big")].decode()

    def stop(self) -> None:
        """End it: at once where nobody waits for its good-bye, in order where it keeps an archive."""
        process = self.process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        if process.poll() is None and self.archive.makes:
            self.archive.keep(process)
        if process.poll() is None:
            process.kill()
        process.wait()


def _class_path(spark_home: Path, master: str) -> str:
    """The jars of Spark that its SQL needs, and those of the managers of clusters where one is asked for."""
    own = master.startswith(("local", "spark://"))
    left_out = (*_UNUSED, *_MANAGERS) if own else _UNUSED
    jars = sorted((spark_home / "jars").glob("*.jar"))
    return os.pathsep.join(str(jar) for jar in jars if not jar.name.startswith(left_out))


def _connect(jvm: _Jvm, master: str, local: bool, scratch: Path, settings: Mapping[str, str]) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        raise InputError("this process already runs a Spark session of its own")
    host = "127.0.0.1" if local else _own_address(master)
    wanted = {
        **_SETTINGS,
        "spark.master": master,
        "spark.app.name": "wirebook",
        "spark.driver.host": host,
        "spark.driver.bindAddress": host,
        "spark.local.dir": str(scratch / "local"),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        **({} if jvm.large else _SMALL),
        **settings,
    }
    # These two variables are how PySpark is told of a Java that already runs.
    given = {"PYSPARK_GATEWAY_PORT": str(jvm.port), "PYSPARK_GATEWAY_SECRET": jvm.secret}
    # Other machines may keep Python elsewhere; here the one that runs us is the one that works.
    python = sys.executable if local else os.environ.get("PYSPARK_PYTHON", sys.executable)
    given |= {"PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": sys.executable}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    SparkContext._gateway = None
    SparkContext._jvm = None
    try:
        conf = SparkConf(loadDefaults=False)
        for name, value in wanted.items():
            conf.set(name, value)
        context = SparkContext(conf=conf)
        context.setLogLevel("ERROR")
        for name, value in wanted.items():
            # A query tells its tasks its settings; where its rows go on to Python they would run on defaults.
            if name.startswith("spark.sql."):
                context.setLocalProperty(name, value)
        if not local:
            context.addPyFile(str(_zipped(scratch)))
        # Python takes as long to come up as the session does: both at once.
        waking = threading.Thread(target=_quietly(lambda: _wake(context)), daemon=True)
        waking.start()
        return SparkSession(context)
    finally:
        for name, old in before.items():
            if old is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = old


def _wake(context: SparkContext) -> None:
    """Start Python beside every core, with all that our work there imports."""
    cores = min(context.defaultParallelism, 16)
    context.parallelize(range(cores), cores).mapPartitions(import_work).count()


def import_work(_: Iterable[int]) -> list[int]:
    """Import what executors run."""
    from wirebook.docgen.pipeline import work

    return [len(work.__name__)]


def _forget(spark: SparkSession, local: bool) -> None:
    """Leave no trace of the session in this process, so that it can have another one."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context = spark.sparkContext
    gateway = SparkContext._gateway
    if not local:
        # A cluster keeps the executors until the driver says good-bye.
        closing = threading.Thread(target=_quietly(spark.stop), daemon=True)
        closing.start()
        closing.join(10)
    if context._accumulatorServer is not None:
        # Only so that it does not complain when Java hangs up; waiting for it takes half a second.
        setattr(context._accumulatorServer, "handle_error", lambda *_: None)  # noqa: B010
    context._jsc = None
    SparkContext._active_spark_context = None
    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkSession._instantiatedSession = None
    SparkSession._activeSession = None
    if gateway is not None:
        _quietly(gateway.shutdown)()


def _quietly(action: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        # Whatever fails on the way out has nothing left to harm.
        with suppress(Exception):
            action()

    return run


def _sweep() -> None:
    """Remove the scratch folders of runs that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        number = folder.name.removeprefix(_SCRATCH).partition("-")[0]
        with suppress(OSError):
            if number.isdigit() and folder.lstat().st_uid == os.getuid():
                try:
                    os.kill(int(number), 0)
                except ProcessLookupError:
                    shutil.rmtree(folder, ignore_errors=True)


def _zipped(scratch: Path) -> Path:
    """Our packages as an archive for executors, which need not have them."""
    target = scratch / "wirebook.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in modules():
            packed.write(path, path.relative_to(PACKAGE.parent).as_posix())
    return target


# -- a master somewhere else ----------------------------------------------------------------------


def _addresses(master: str) -> list[tuple[str, int]]:
    """The hosts and ports of spark://a:7077,b:7077; [] for masters that Spark finds in another way."""
    if not master.startswith("spark://"):
        return []
    found = []
    for part in master.removeprefix("spark://").split(","):
        host, _, port = part.rpartition(":")
        if not host or not port.isdigit():
            raise InputError(f'"{master}" is no Spark master; write spark://HOST:PORT')
        found.append((host.strip("[]"), int(port)))
    return found


def _reachable(master: str) -> None:
    """Raise InputError at once where no master listens; Spark itself would try for a minute."""
    why = ""
    addresses = _addresses(master)
    if not addresses and not re.match(r"(yarn|k8s://)", master):
        raise InputError(f'"{master}" is no Spark master; write local[*] or spark://HOST:PORT')
    for address in addresses:
        try:
            with socket.create_connection(address, timeout=MASTER_SECONDS):
                return
        except OSError as error:
            why = error.strerror or str(error)
    if addresses:
        raise InputError(f"the Spark master {master} cannot be reached: {why}")


def _own_address(master: str) -> str:
    """Our address as the master sees it, by which executors find us."""
    for host, port in _addresses(master):
        with suppress(OSError), socket.create_connection((host, port), timeout=MASTER_SECONDS) as probe:
            return str(probe.getsockname()[0])
    return socket.gethostbyname(socket.gethostname())


def _executors(spark: SparkSession) -> int:
    # What the scheduler has, not what the block manager remembers: that keeps some that died young.
    return int(spark.sparkContext._jsc.sc().getExecutorIds().size())


def _await_executors(spark: SparkSession, master: str) -> None:
    deadline = time.monotonic() + EXECUTOR_SECONDS
    while _executors(spark) < 1:
        if time.monotonic() > deadline:
            raise InputError(
                f"the Spark master {master} gave no executor within {EXECUTOR_SECONDS:.0f} seconds"
            )
        time.sleep(0.1)


def _watch_executors(spark: SparkSession, stop: threading.Event) -> None:
    """Give up when all executors are gone and none comes back; Spark would wait for ever."""

    def watch() -> None:
        alone_since: float | None = None
        while not stop.wait(0.5):
            with suppress(Exception):
                if _executors(spark) > 0:
                    alone_since = None
                    continue
                alone_since = alone_since or time.monotonic()
                if time.monotonic() - alone_since > LOST_SECONDS:
                    spark.sparkContext.cancelAllJobs()

    threading.Thread(target=watch, daemon=True).start()


# -- failures -------------------------------------------------------------------------------------

_REASONS = (
    (r"No space left on device", "the disk is full"),
    (r"File too large", "a file may not grow any further (the limit on file sizes)"),
    (r"Address already in use[^\n]*", "a port that Spark was told to use is busy: {0}"),
    (r"Cannot assign requested address[^\n]*", "Spark cannot listen: {0}"),
    (r"All masters are unresponsive[^\n]*", "the Spark master {master} does not answer"),
    (
        r"Master removed our application",
        "the Spark master could start no executor; its workers' logs say why",
    ),
    (r"cancelled as part of cancellation of all jobs", "the Spark cluster lost all its executors"),
    (r"ExecutorLostFailure[^\n]*", "a Spark executor died again and again: {0}"),
    (r"Python worker exited unexpectedly[^\n]*", "a Python worker of Spark died: {0}"),
    (r"OutOfMemoryError[^\n]*", "Spark ran out of memory: {0}"),
    (r"Python in worker has different version[^\n]*", "{0}"),
)


@contextmanager
def _explained(master: str, log: Path) -> Iterator[None]:
    """Turn what Spark raises into one line."""
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, Py4JNetworkError, PySparkException, ConnectionError, EOFError) as error:
        raise InputError(explain(f"{error}\n{_tail(log)}", master)) from error


def explain(text: str, master: str) -> str:
    """One line for what went wrong in Spark, whose own words fill pages."""
    for pattern, line in _REASONS:
        match = re.search(pattern, text)
        if match is not None:
            return f"Spark failed: {line.format(match[0].strip(), master=master)}"
    if "Traceback (most recent call last)" in text:
        # The last line that is not indented, before Java's own lines, says what Python raised.
        lines = [
            line for line in text.split("Traceback (most recent call last)")[-1].splitlines() if line.strip()
        ]
        raised = [line for line in lines[1:] if not line.startswith((" ", "\t"))]
        if raised:
            return f"Spark failed: {' '.join(raised[0].split())}"
    causes = re.findall(r"^(?:Caused by)?: ([^\n]+)", text, re.MULTILINE)
    first = (
        causes[-1]
        if causes
        else next((line for line in text.splitlines() if line.strip()), "no reason given")
    )
    return f"Spark failed: {' '.join(first.split())}"


def _tail(log: Path) -> str:
    with suppress(OSError):
        return log.read_bytes()[-20_000:].decode(errors="replace")
    return ""


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in _tail(log).splitlines() if line.strip()]
    return next(
        (line for line in lines if re.search(r"[Ee]rror|[Ee]xception", line)),
        lines[0] if lines else "it said nothing",
    )
