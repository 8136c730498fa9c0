"""What tests of commands share."""

from tests.cli.feeding import feeds

__all__ = ["feeds"]
