"""The wire types: their names, and the range of each integer type."""

from __future__ import annotations

_SIZED = ("string", "bytes", "records", "array")
# The lowest and the highest value of each integer type.
INTEGERS = {
    "INT8": (-(2**7), 2**7 - 1),
    "INT16": (-(2**15), 2**15 - 1),
    "UINT16": (0, 2**16 - 1),
    "INT32": (-(2**31), 2**31 - 1),
    "UINT32": (0, 2**32 - 1),
    "INT64": (-(2**63), 2**63 - 1),
}


def wire_type(kind: str, compact: bool, nullable: bool) -> str:
    """The wire type at one version for a type of a spec, "array" or "struct": "COMPACT_NULLABLE_STRING".

    The names are those of Kafka's documentation; `compact` lengths are those of flexible versions (KIP-482).
    "?varint" is the name of a type that the format does not define.
    """
    if kind == "struct":
        return "NULLABLE_STRUCT" if nullable else "STRUCT"
    if kind in _SIZED:
        return f"{'COMPACT_' if compact else ''}{'NULLABLE_' if nullable else ''}{kind.upper()}"
    if kind.startswith("?"):
        return f"{kind}?" if nullable else kind
    return "BOOLEAN" if kind == "bool" else kind.upper()
