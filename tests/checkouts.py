"""Small trees of Java and Scala code, as checkouts of Kafka."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tools.changed_sources import Checkout


def checkout_of(folder: Path, files: Mapping[str, str]) -> Checkout:
    """The folder as a checkout, with files by their path."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return Checkout(str(folder))
