"""Where the embedded specs are, and the registry of Kafka's protocol levels beside them."""

from __future__ import annotations

from pathlib import Path

from wirebook.specs.levels import Registry, open_registry
from wirebook.specs.model import Message
from wirebook.specs.profile_choice import KAFKA, embedded_profile
from wirebook.specs.reading.reader import read_message

FOLDER = Path(__file__).resolve().parent


def embedded_source() -> Path:
    """The folder of the specs that come with wirebook."""
    return FOLDER / "messages"


def embedded_paths() -> list[Path]:
    """The specs that come with wirebook, by name: those of APIs and clients, and in a folder for each log of
    Kafka's, whose records count their keys by themselves, the records of that log.
    """
    return sorted(embedded_source().rglob("*.json"), key=lambda path: path.name)


def embedded_path(name: str) -> Path:
    """The spec of a message that comes with wirebook, by its name. Raises StopIteration for no message."""
    return next(embedded_source().rglob(f"{name}.json"))


def read_embedded(path: Path) -> Message:
    """One of the specs below `FOLDER`: a message of Kafka's. Raises InputError."""
    name = f"specs/kafka/{path.relative_to(FOLDER).as_posix()}"
    return read_message(path.read_bytes(), name, profile=embedded_profile(KAFKA))


def load_registry(path: Path | None = None) -> Registry:
    """The registry in `path`, by default the embedded one; raises InputError as `open_registry` does."""
    return open_registry(path or FOLDER / "api_versions.json")
