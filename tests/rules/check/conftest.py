"""What tests of the check share."""

from tests.rules.check.running import repo

__all__ = ["repo"]
