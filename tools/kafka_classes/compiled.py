"""Kafka's generated message classes, compiled from a checkout, and their answers about messages.

They need jars that Kafka's generator and the classes import. Most are among those of pyspark; the
others are looked for in the local repository of Maven and in /usr/share/java (libargparse4j-java
has argparse4j).
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wirebook.specs.git import Git
from wirebook.specs.problems import InputError

HERE = Path(__file__).parent
JARS = (
    "jackson-annotations",
    "jackson-core",
    "jackson-databind",
    "jackson-datatype-jdk8",
    "slf4j-api",
    "lz4-java",
    "snappy-java",
    "zstd-jni",
    "argparse4j",
)
# The package of the classes of each folder with specs.
PACKAGES = {
    "clients/src/main/resources/common/message": "org.apache.kafka.common.message",
    "metadata/src/main/resources/common/metadata": "org.apache.kafka.common.metadata",
    "group-coordinator/src/main/resources/common/message": (
        "org.apache.kafka.coordinator.group.generated"
    ),
    "transaction-coordinator/src/main/resources/common/message": (
        "org.apache.kafka.coordinator.transaction.generated"
    ),
    "share-coordinator/src/main/resources/common/message": (
        "org.apache.kafka.coordinator.share.generated"
    ),
    "raft/src/main/resources/common/message": "org.apache.kafka.raft.generated",
    "storage/src/main/resources/message": (
        "org.apache.kafka.server.log.remote.metadata.storage.generated"
    ),
    "core/src/main/resources/common/message": "kafka.internals.generated",
    "streams/src/main/resources/common/message": "org.apache.kafka.streams.internals.generated",
}
_SOURCES = ("generator/src/main/java", "clients/src/main/java")
_OPTIONS = (
    "-nowarn",
    "-proc:none",
    "-encoding",
    "UTF-8",
    "-g:none",
    "-implicit:class",
    "-Xlint:none",
)


class Classes:
    """The classes of a folder: `names` are those of messages, by the name of their spec."""

    def __init__(self, folder: Path, jars: Iterable[Path]) -> None:
        self.folder = folder
        self.path = os.pathsep.join(str(path) for path in (folder / "classes", *jars))
        listed = (folder / "names").read_text(encoding="utf-8").split()
        self.names = dict(zip(listed[::2], listed[1::2], strict=True))

    def answers(self, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
        """The answer to each line that Replay.java describes."""
        data = "".join(f"{line}\n" for line in lines)
        command = ["java", "-Xmx1g", "-cp", self.path, "Replay"]
        done = subprocess.run(
            command, input=data, capture_output=True, check=True, encoding="utf-8"
        )
        for line in done.stdout.splitlines():
            yield json.loads(line)


def found_jars(more: Iterable[Path] = ()) -> list[Path]:
    """The jars that this machine has, given folders first. Raises InputError if one is missing."""
    spec = find_spec("pyspark")
    own = [Path(spec.origin or "").parent / "jars"] if spec is not None else []
    folders = [*more, *own, Path("/usr/share/java"), Path.home() / ".m2" / "repository"]
    jars = []
    for name in JARS:
        of_name = (
            path for each in folders for path in sorted(each.rglob(f"{name}*.jar"), reverse=True)
        )
        jar = next(of_name, None)
        if jar is None:
            raise InputError(f"no such jar in {', '.join(map(str, folders))}", f"{name}.jar")
        jars.append(jar)
    return jars


def compiled(checkout: str, folder: Path, jars: Iterable[Path]) -> Classes:
    """Generate and compile the classes of REPO@REF in a folder.

    Raises InputError without a JDK or a revision, or if the compiler fails; CalledProcessError if
    the generator does.
    """
    if shutil.which("javac") is None:
        raise InputError("is not on the PATH: install a JDK of version 17 or newer", "javac")
    repository, _, revision = checkout.partition("@")
    listed = (
        Git(Path(repository)).run("ls-tree", "-r", "--name-only", revision).decode().splitlines()
    )
    specs = [place for place in PACKAGES if any(path.startswith(f"{place}/") for path in listed)]
    data = Git(Path(repository)).run("archive", revision, *_SOURCES, *specs)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(folder / "checkout", filter="data")
    root, generated, path = (
        folder / "checkout",
        folder / "generated",
        os.pathsep.join(map(str, jars)),
    )
    generator, classes = folder / "generator", folder / "classes"
    _compile(generator, path, [root / _SOURCES[0]], [HERE / "Generate.java"])
    arguments = [
        str(part)
        for place in specs
        for part in (PACKAGES[place], generated / PACKAGES[place].replace(".", "/"), root / place)
    ]
    command = ["java", "-cp", os.pathsep.join((str(generator), path)), "Generate", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    own = sorted(generated.rglob("*JsonConverter.java"))
    _compile(classes, path, [generated, root / _SOURCES[1]], [HERE / "Replay.java", *own])
    names = [
        ".".join(each.relative_to(generated).with_suffix("").parts).removesuffix("JsonConverter")
        for each in own
    ]
    specs_of = {name: name.rpartition(".")[2] for name in names}
    by_spec = {spec.removesuffix("Data"): name for name, spec in specs_of.items()}
    by_spec |= {spec: name for name, spec in specs_of.items()}
    lines = (f"{spec} {name}" for spec, name in by_spec.items())
    (folder / "names").write_text("\n".join(lines), encoding="utf-8")
    return Classes(folder, jars)


def _compile(target: Path, path: str, sources: Iterable[Path], files: Iterable[Path]) -> None:
    """Compile files, and what they import from the folders of sources."""
    target.mkdir(parents=True, exist_ok=True)
    places = os.pathsep.join(map(str, sources))
    command = [
        "javac",
        *_OPTIONS,
        "-cp",
        path,
        "-sourcepath",
        places,
        "-d",
        str(target),
        *map(str, files),
    ]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.returncode:
        raise InputError(done.stderr.strip()[:2000], "javac")
