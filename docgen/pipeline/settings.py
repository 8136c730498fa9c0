"""Spark's settings: our defaults (the memory of the driver), the user's configuration, and the caller's."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from wirebook.specs.own_code import PACKAGE
from wirebook.specs.problems import InputError

LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
JAVA_OPTIONS = ("spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions")
GIB = 1 << 30

_ALWAYS = {
    "spark.app.name": "wirebook",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.join.preferSortMergeJoin": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.rdd.compress": "true",
    "spark.python.worker.reuse": "true",
    "spark.task.maxFailures": "3",
}

# For jobs of minutes, Spark may adapt a plan to the data that it has seen.
_LARGE = {"spark.sql.adaptive.enabled": "true"}

# For a few thousand rows: compiling the code of a query takes longer than running it, and a large page
# for every sort and every hash table wastes memory.
_SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.ui.retainedExecutions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.buffer.pageSize": "512k",
}


def defaults(host: str, local: bool, large: bool, partitions: int, scratch: Path) -> dict[str, str]:
    """Our default settings; Java's options are separate, in `java_options`."""
    settings = {
        **_ALWAYS,
        "spark.driver.memory": f"{driver_memory(large) >> 20}m",
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.driver.host": host,
        "spark.driver.bindAddress": host,
        "spark.local.dir": str(scratch / "local"),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        **(_LARGE if large else _SMALL),
    }
    if local:
        settings["spark.executorEnv.PYTHONPATH"] = str(PACKAGE.parent)
    return settings


def java_flags(large: bool, sized: bool = False) -> list[str]:
    """Flags of the driver's Java: a run of seconds needs a quick start, one of minutes fast code.

    `sized` is whether the user has set the memory, which may be less than ours.
    """
    return [
        *(["-XX:+UseParallelGC"] if large else ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]),
        # All memory from the start: growing into it means one garbage collection after another.
        *([] if large or sized else ["-Xms500m", "-Xmn300m"]),
        "-XX:MetaspaceSize=200m",
        "-XX:-UsePerfData",
        "-Xlog:disable",
    ]


def java_options(flags: list[str], has_log_settings: bool) -> str:
    """The value of spark.driver.defaultJavaOptions, in the quoting of Spark's launcher."""
    if not has_log_settings:
        flags = [*flags, f"-Dlog4j2.configurationFile={LOG_SETTINGS}"]
    return " ".join('"' + re.sub(r'(["\\])', r"\\\1", flag) + '"' for flag in flags)


def driver_memory(large: bool = False) -> int:
    """The default of spark.driver.memory in bytes: a quarter of the machine's, from 1 to 4 GiB, or to 16
    for jobs of minutes. The other quarters are for Python, which runs one process per core.
    """
    return min(max(_memory() // 4, GIB), (16 if large else 4) * GIB)


def _memory() -> int:
    """The memory that this process may use, which in a container is less than the machine has."""
    amounts = []
    with suppress(OSError, ValueError, AttributeError):
        amounts.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            amounts.append(int(Path(limit).read_text()))
    return min(amounts, default=4 * GIB)


# -- what the user has configured -----------------------------------------------------------------


def spark_home() -> Path:
    """The Spark that is started: the user's, or else that of the package pyspark."""
    home = os.environ.get("SPARK_HOME")
    if home:
        return Path(home).absolute()
    import pyspark

    return Path(pyspark.__file__).resolve().parent


def conf_folder(spark_home: Path) -> Path | None:
    """Where Spark looks for its configuration; None if there is nothing."""
    folder = Path(os.environ.get("SPARK_CONF_DIR") or spark_home / "conf").absolute()
    with suppress(OSError):
        if any(folder.iterdir()):
            return folder
    return None


def users_settings(conf: Path | None) -> dict[str, str]:
    """The settings of the user's own configuration: spark-defaults.conf, overridden by PYSPARK_SUBMIT_ARGS.

    In Spark, a setting of the builder overrides both, so our defaults are only for what they leave out.
    Raises InputError if PYSPARK_SUBMIT_ARGS or a file named there cannot be read.
    """
    words = _submit_arguments()
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for option, key in _OPTIONS.items():
        parser.add_argument(option, dest=key)
    parser.add_argument("--properties-file", dest="file")
    parser.add_argument("--load-spark-defaults", dest="both", action="store_true")
    parser.add_argument("--conf", "-c", dest="conf", action="append", default=[])
    try:
        options = vars(parser.parse_known_args(words)[0])
    except argparse.ArgumentError as error:
        raise InputError(f"PYSPARK_SUBMIT_ARGS cannot be read: {error}") from None
    file, both, pairs = options.pop("file"), options.pop("both"), options.pop("conf")
    settings: dict[str, str] = {}
    if conf is not None and (file is None or both):
        settings |= _properties(conf / "spark-defaults.conf", missing_ok=True)
    if file is not None:
        settings |= _properties(Path(file))
    settings |= dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return settings | {key: value for key, value in options.items() if value is not None}


def _submit_arguments() -> list[str]:
    try:
        return shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    except ValueError as error:
        raise InputError(f"PYSPARK_SUBMIT_ARGS cannot be read: {error}") from None


_OPTIONS = {
    "--master": "spark.master",
    "--name": "spark.app.name",
    "--driver-memory": "spark.driver.memory",
    "--driver-java-options": "spark.driver.extraJavaOptions",
}


def _properties(path: Path, missing_ok: bool = False) -> dict[str, str]:
    """A file of settings: a name and a value per line, with a space, "=" or ":" between them."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        if missing_ok:
            return {}
        raise InputError("is not there; PYSPARK_SUBMIT_ARGS names it", str(path)) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from None
    properties = {}
    for line in text.splitlines():
        match = re.match(r"\s*(?P<name>[^#!\s=:][^\s=:]*)\s*[=:\s]\s*(?P<value>.*?)\s*$", line)
        if match is not None:
            properties[match["name"]] = match["value"]
    return properties


# -- how Java starts ------------------------------------------------------------------------------

# What makes Python leave the current folder out of its path; Python sets it for nobody by default.
SAFE_PATH = {"PYTHONSAFEPATH": "1"}
# Settings and options that name files, separated by commas, as the user sees them.
_FILES = (
    "spark.jars", "spark.files", "spark.archives", "spark.submit.pyFiles", "spark.jars.ivySettings",
    "spark.driver.extraClassPath", "spark.eventLog.dir", "spark.local.dir", "spark.sql.warehouse.dir",
)  # fmt: skip
_FILE_OPTIONS = (
    "--properties-file", "--jars", "--files", "--archives", "--py-files", "--driver-class-path",
)  # fmt: skip


def from_here(settings: Mapping[str, str]) -> dict[str, str]:
    """The same settings, with the files that they name as absolute paths: Java runs in another folder."""
    return {name: _absolute(value) if name in _FILES else value for name, value in settings.items()}


def _absolute(files: str) -> str:
    """A list of paths and URIs, with each path absolute."""
    parts = (part.strip() for part in files.split(","))
    return ",".join(part if not part or re.match(r"\w+:", part) else os.path.abspath(part) for part in parts)


def _argument_from_here(option: str, word: str) -> str:
    """An argument of spark-submit, which follows `option`, with absolute paths."""
    name, equals, value = word.partition("=")
    if option in _FILE_OPTIONS:
        return _absolute(word)
    if equals and name in _FILE_OPTIONS:
        return f"{name}={_absolute(value)}"
    if equals and option in ("--conf", "-c"):
        return f"{name}={from_here({name: value})[name]}"
    return word


def start_environment(java_home: Path, spark_home: Path, local: bool) -> dict[str, str]:
    """The environment of Java and of the executors' Python; the user's variables stay unchanged, except that
    relative paths become absolute.
    """
    variables = {
        # A `python3` on the PATH may not be the one that runs this process.
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONHASHSEED": "0",
    }
    if local:
        variables |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"}
    fixed = {**SAFE_PATH, "SPARK_HOME": str(spark_home), "JAVA_HOME": str(java_home)}
    for name in ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        if os.environ.get(name):
            fixed[name] = os.path.abspath(os.environ[name])
    python = os.environ.get("PYSPARK_PYTHON", "")
    if os.path.dirname(python):
        fixed["PYSPARK_PYTHON"] = os.path.abspath(python)
    words = _submit_arguments()
    if words:
        arguments = (_argument_from_here(option, word) for option, word in pairwise(["", *words]))
        fixed["PYSPARK_SUBMIT_ARGS"] = shlex.join(arguments)
    missing = {name: value for name, value in variables.items() if not os.environ.get(name)}
    return {**missing, **fixed}


def checked_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """The same settings; raises InputError for one whose name Spark would ignore."""
    for name in settings:
        if not name.startswith("spark."):
            raise InputError(f'"{name}" is not a setting of Spark; their names begin with "spark."')
    return dict(settings)
