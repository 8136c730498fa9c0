"""The reference and compatibility gate for message protocols written as JSON specs.

The public API is in `wirebook.api`, which is imported when one of its names is first used: a
program that needs only the version, or only a submodule, does not pay for the rest.
"""

from wirebook._version import __version__ as __version__

# As in `typing`, which is not imported for this: type checkers and editors assume that this name is
# true.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from wirebook.api import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        """Import the public API when one of its names is first used (PEP 562)."""
        if name == "__all__" or not name.startswith("_"):
            from importlib import import_module

            api = import_module("wirebook.api")
            if name in (*api.__all__, "__all__"):
                return getattr(api, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
