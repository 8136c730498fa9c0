"""Where the embedded specs are, and the registry of Kafka's protocol levels beside them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.layout import Layout, layout
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reader import read_message

FOLDER = Path(__file__).resolve().parent


def embedded_source() -> Path:
    """The folder of the embedded specs."""
    return FOLDER / "messages"


def embedded_paths() -> list[Path]:
    """The embedded specs by name: those of APIs, and a folder for each log, with its own keys."""
    return sorted(embedded_source().rglob("*.json"), key=lambda path: path.name)


@cache
def embedded_protocol() -> Protocol:
    """Kafka's protocol, read once. The paths of messages say that no user has these files."""
    return Protocol.of(
        read_message(path.read_bytes(), f"embedded specs, {path.name}", profile=kafka_profile())
        for path in embedded_paths()
    )


def embedded_path(name: str) -> Path:
    """The embedded spec of a message, by its name. Raises StopIteration if there is none."""
    return next(embedded_source().rglob(f"{name}.json"))


def read_embedded(path: Path) -> Message:
    """Read a message of Kafka's from one of the specs below `FOLDER`. Raises InputError."""
    name = f"specs/kafka/{path.relative_to(FOLDER).as_posix()}"
    return read_message(path.read_bytes(), name, profile=kafka_profile())


@cache
def embedded_message(name: str) -> Message:
    """A message of Kafka's by its name. Raises StopIteration if there is none."""
    return read_embedded(embedded_path(name))


def header_layout(message_type: str, version: int) -> Layout:
    """The layout of the header of Kafka's requests or responses at a version of it."""
    return layout(embedded_message(f"{message_type.capitalize()}Header"), version)


def load_registry() -> Registry:
    """Read the embedded registry."""
    text = (FOLDER / "api_versions.json").read_bytes()
    return read_registry(text, "specs/kafka/api_versions.json")


def embedded_errors() -> bytes:
    """The text of the table of error codes."""
    return (FOLDER / "errors.json").read_bytes()
