"""The protocol reference and compatibility gate for message protocols written as versioned JSON specs.

The public API is in `wirebook.api`, which is imported when one of its names is first used: a program that
needs only the version, or only a submodule, does not pay for the rest.
"""

from wirebook._version import __version__

# As in `typing`, which is not imported for this: type checkers and editors assume that this name is true.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from wirebook.api import (
        CheckResult,
        Finding,
        InputError,
        Layout,
        LayoutField,
        Message,
        Protocol,
        ProtocolChange,
        Severity,
        Source,
        WireError,
        check,
        decode,
        decode_records,
        diff,
        encode,
        encode_records,
        layout,
        load,
    )

__all__ = [
    "CheckResult",
    "Finding",
    "InputError",
    "Layout",
    "LayoutField",
    "Message",
    "Protocol",
    "ProtocolChange",
    "Severity",
    "Source",
    "WireError",
    "__version__",
    "check",
    "decode",
    "decode_records",
    "diff",
    "encode",
    "encode_records",
    "layout",
    "load",
]

if not TYPE_CHECKING:  # a type checker would accept every name if it saw this

    def __getattr__(name: str) -> object:
        """Import the public API when one of its names is first used (PEP 562)."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from wirebook import api

        found = globals()[name] = getattr(api, name)
        return found

    def __dir__() -> list[str]:
        """The attributes of the module, and the names of the public API that are not imported yet."""
        return sorted({*globals(), *__all__})
