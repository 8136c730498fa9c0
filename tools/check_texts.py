"""Checks the prose about Kafka: markup, and texts about what does not exist. `make lint` runs it."""

from __future__ import annotations

import sys

from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.kafka.text_check import check_texts
from wirebook.specs.problems import InputError


def main() -> int:
    """Print the first problem with its file, line and column; return 2 where there is one."""
    try:
        check_texts(embedded_protocol())
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
