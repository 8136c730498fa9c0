"""Where the embedded specs are, and the registry of Kafka's protocol levels beside them."""

from __future__ import annotations

from pathlib import Path

from wirebook.specs.levels import Registry, open_registry

FOLDER = Path(__file__).resolve().parent


def embedded_source() -> Path:
    """The folder of the specs that come with wirebook."""
    return FOLDER / "messages"


def load_registry(path: Path | None = None) -> Registry:
    """The registry in `path`, by default the embedded one; raises InputError as `open_registry` does."""
    return open_registry(path or FOLDER / "api_versions.json")
