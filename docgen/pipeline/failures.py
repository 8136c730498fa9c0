"""Failures of Spark as one line, and the log of its Java process, which has the reason."""

from __future__ import annotations

import logging
import os
import re
import signal
import socketserver
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from types import FrameType
from typing import Any, BinaryIO, cast

from wirebook.specs.problems import InputError

# The file that did not fit on a full disk, as Python ("…: '/a'"), Java ("/a (…") and Hadoop write it.
_FULL_AT = re.compile(
    r"(?:No space left on device|File too large): '(?P<python>[^'\n]+)'"
    r"|(?P<java>/[^\s'\"():]+) \((?:No space left on device|File too large)"
)
_REASONS = (
    (r"No space left on device", "the disk is full"),
    (r"File too large", "a file may not grow any further (the limit on file sizes)"),
    (
        r"FAILED_READ_FILE\.FILE_NOT_EXIST\][^\n]*reading file (?P<file>[^\n]+?)\.\s",
        "{file} vanished while it was read; run the command again",
    ),
    (
        # The last cause is the first failure, such as a missing end or expired credentials.
        r"FAILED_READ_FILE[.\w]*\][^\n]*reading file (?P<file>[^\n]+?)\.\s"
        r"[\s\S]*Caused by: (?P<cause>[^\n]+)",
        "{file} cannot be read: {cause}",
    ),
    (r"Address already in use[^\n]*", "a port that Spark was told to use is busy: {0}"),
    (r"Cannot assign requested address[^\n]*", "Spark cannot listen: {0}"),
    (r"All masters are unresponsive[^\n]*", "the Spark master {master} does not answer"),
    (
        r"Master removed our application",
        "the Spark master could start no executor; its workers' logs have the reason",
    ),
    (r"cancelled as part of cancellation of all jobs", "the Spark cluster lost all its executors"),
    (r"ExecutorLostFailure[^\n]*", "a Spark executor died again and again: {0}"),
    (r"Python worker exited unexpectedly[^\n]*", "a Python worker of Spark died: {0}"),
    (
        r"No FileSystem for scheme \"(?P<scheme>\w+)\""
        r"|org\.apache\.hadoop\.fs\.(?P<package>[a-z0-9]+)\.\w+ not found",
        "it has no file system for {scheme}{package}: its module of Hadoop is not among Spark's jars (--conf "
        "spark.jars.packages)",
    ),
    (r"OutOfMemoryError[^\n]*", "Spark ran out of memory: {0}"),
    (
        r"(?:Python in worker has different version|PYTHON_VERSION_MISMATCH)[^\n]*",
        "{0} PYSPARK_PYTHON names the Python of the executors",
    ),
    (r"Cannot run program [^\n]*", "a worker of Spark finds no Python: {0}"),
    (
        r"(?:ModuleNotFoundError: No module named '|which needs the package )(?P<package>\w+)",
        "the Python of the executors lacks the package {package}: install it there, or ship it by "
        "--conf spark.archives (Running on a cluster)",
    ),
    (
        r"Connection refused|Answer from Java side is empty|Error while sending or receiving",
        "its Java process ended",
    ),
)


@contextmanager
def explained(master: str, log: Log | None, folder: str | None = None) -> Iterator[None]:
    """Raise InputError with one line for what PySpark and py4j raise in the block.

    `log` is what Spark's Java process of this session writes; None if it is somebody else's. `folder` is
    where Spark keeps what does not fit into memory. What py4j raises because of Ctrl-C is a
    KeyboardInterrupt.
    """
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, Py4JNetworkError, PySparkException, ConnectionError, EOFError) as error:
        if _is_interrupted(error):
            raise KeyboardInterrupt from error
        written = "" if log is None else log.tail()
        if "JAVA_GATEWAY_EXITED" in str(error):
            words = "nothing in its log" if log is None else log.last_words()
            raise InputError(f"Java exited before Spark had started: {words}") from error
        raise InputError(explain(f"{error}\n{written}", master, folder)) from error


@contextmanager
def ctrl_c_noticed() -> Iterator[None]:
    """Raise KeyboardInterrupt for whatever fails in the block after Ctrl-C.

    Spark's own handler cancels all jobs. If a cleanup swallows the KeyboardInterrupt that it raises, only the
    failure of the cancelled job remains, which looks like that of a cluster.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        pressed.set()
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception as error:
        if pressed.is_set():
            raise KeyboardInterrupt from error
        raise
    finally:
        if signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, before)


def _is_interrupted(error: BaseException | None) -> bool:
    """Whether an error arose while Ctrl-C was handled: py4j closes the connection that it interrupts."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


def explain(text: str, master: str, folder: str | None = None) -> str:
    """One line for a failure of Spark, whose own message is pages long; `folder` is as in `explained`."""
    for pattern, line in _REASONS:
        match = re.search(pattern, text)
        if match is not None:
            where = _full_at(text, folder) if (pattern, line) in _REASONS[:2] else ""
            words = line.format(match[0].strip(), master=master, **match.groupdict(""))
            return f"Spark failed: {words}{where}"
    if "Traceback (most recent call last)" in text:
        # The last line that is not indented, before Java's own lines, has the exception of Python.
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


def _full_at(text: str, folder: str | None) -> str:
    """The file and the folder that a disk has no room for."""
    match = _FULL_AT.search(text)
    if match is not None:
        above, name = os.path.split(match["python"] or match["java"])
        return f': "{name}" in the folder {above}'
    return f": the folder {folder} of Spark (spark.local.dir)" if folder else ""


ACCUMULATOR_SERVERS = ("AccumulatorTCPServer", "AccumulatorUnixServer")


@contextmanager
def quiet_py4j() -> Iterator[None]:
    """Keep py4j from printing tracebacks of what is reported in one line.

    py4j logs a lost connection, and Ctrl-C, by `logging.exception`. If the program has not set up logging,
    that prints a traceback on stderr; if it has, its own handlers get the records as before.
    """
    root, handler = logging.getLogger(), logging.NullHandler()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def quiet_accumulators() -> None:
    """Keep PySpark's server of accumulators from printing a traceback when Java closes its connection.

    Java may end before the server expects it, which a server of the standard library prints on stderr:
    `socketserver.BaseServer.handle_error` is the method to override. Other errors are printed as before.
    """
    from pyspark import accumulators

    def handle_error(server: Any, request: Any, address: Any) -> None:
        if not isinstance(sys.exc_info()[1], EOFError | ConnectionError):
            socketserver.BaseServer.handle_error(server, request, address)

    for name in ACCUMULATOR_SERVERS:
        kind: Any = getattr(accumulators, name, None)
        if kind is not None:
            kind.handle_error = handle_error


# -- the log of Spark's Java process -----------------------------------------------------------------

TAIL = 20_000


class Log:
    """What Java writes from now on, in an unnamed file, which disappears with the process."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.start = os.fstat(file.fileno()).st_size

    def tail(self) -> str:
        """The end of it; "" if nothing was written."""
        with suppress(OSError):
            size = os.fstat(self.file.fileno()).st_size
            start = max(self.start, size - TAIL)
            self.file.seek(start)
            return self.file.read(size - start).decode(errors="replace")
        return ""

    def last_words(self) -> str:
        """The line with the reason why Java ended."""
        lines = [line.strip() for line in self.tail().splitlines() if line.strip()]
        # Java always ends with these two lines; the reason is in the line before.
        reasons = [line for line in lines if not re.match(r"WARNING|Error: (Could not create|A fatal)", line)]
        return next(
            (
                line
                for line in reasons or lines
                if re.search(r"[Ee]rror|[Ee]xception|[Ii]nvalid|option", line)
            ),
            lines[0] if lines else "it said nothing",
        )


@cache
def _file() -> BinaryIO:
    # PySpark keeps its Java process until this process ends, and so does the file. Java appends, we read.
    return cast(BinaryIO, tempfile.TemporaryFile("a+b", prefix="wirebook-log-"))


def open_log() -> Log:
    """The log of this process's Java, from here on."""
    return Log(_file())


@contextmanager
def redirected(log: Log) -> Iterator[None]:
    """Let processes that are started inside write stdout and stderr to `log`.

    PySpark's builder starts Java with this process's own streams, and Java and Spark's scripts write to them
    before any log setting counts.
    """
    saved: list[tuple[int, int]] = []
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
        with suppress(OSError):  # a closed one has nothing to save
            saved.append((number, os.dup(number)))
    try:
        for number, _ in saved:
            os.dup2(log.file.fileno(), number)
        yield
    finally:
        for number, copy in saved:
            os.dup2(copy, number)
            os.close(copy)
