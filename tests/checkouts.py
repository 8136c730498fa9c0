"""Small trees of Java and Scala code, as checkouts of Kafka."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.repositories import Repo
from tools.kafka_code import Checkout


def checkout_of(folder: Path, files: Mapping[str, str]) -> Checkout:
    """The folder as a checkout, with files by their path."""
    repo = Repo(folder)
    for name, text in files.items():
        repo.write(name, text)
    repo.commit("one")
    return Checkout(str(folder))
