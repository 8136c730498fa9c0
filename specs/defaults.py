"""The default of a field: its value if the field is absent."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache

from wirebook.specs.model import Field, Json

# The lowest and the highest value of each integer type.
INTEGERS = {
    "INT8": (-(2**7), 2**7 - 1),
    "INT16": (-(2**15), 2**15 - 1),
    "UINT16": (0, 2**16 - 1),
    "INT32": (-(2**31), 2**31 - 1),
    "UINT32": (0, 2**32 - 1),
    "INT64": (-(2**63), 2**63 - 1),
}
_WHOLE = r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+"
ZERO_UUID = "00000000-0000-0000-0000-000000000000"


def default_value(field: Field) -> Json:
    """The value of an absent field, in the form of `LayoutField.default`.

    JSON null means that the field has no explicit default; the string "null" means null. Raises
    ValueError if the default does not fit the type, with the rest of a sentence that begins "the
    default of X". Source: Kafka's FieldSpec.fieldDefault.
    """
    stated = field.default
    text = "" if stated is None else stated if isinstance(stated, str) else json.dumps(stated)
    if field.is_array or field.is_struct or field.type in ("bytes", "records"):
        if text == "null":
            return None
        if text:
            raise ValueError(f"is {text!r}; a {field.type} takes none but null")
        if field.is_array:
            return []
        return {} if field.is_struct else "" if field.type == "bytes" else None
    if field.type == "string":
        if text == "null" and not field.nullable_versions:
            raise ValueError("is null, but no version of it is nullable")
        return None if text == "null" else text
    return _primitive_default(field.type, text)


@lru_cache(maxsize=1024)
def _primitive_default(kind: str, text: str) -> Json:
    if kind == "bool":
        if text.lower() not in ("", "true", "false"):
            raise ValueError(f"is {text!r}, which is neither true nor false")
        return text.lower() == "true"
    if kind == "uuid":
        return _uuid(text) if text else ZERO_UUID
    if kind == "float64":
        try:
            number = float(text or 0) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"is {text!r}, which is not a finite number")
        return number
    if text and re.fullmatch(_WHOLE, text) is None:
        # 010 is 10 to Kafka's generator, and 8 in the Java that it generates.
        octal = text.isascii() and text.isdigit() and text.startswith("0")
        raise ValueError(
            f"is {text!r}, which {'begins with a 0' if octal else 'is not a whole number'}"
        )
    lowest, highest = INTEGERS[kind.upper()]
    value = lowest - 1
    if len(text) < 100:  # Python refuses to read thousands of digits
        value = int(text or "0", 16 if text.startswith("0x") else 10)
    if not lowest <= value <= highest:
        raise ValueError(f"is {text[:40]}, which does not fit {kind} ({lowest} to {highest})")
    return value


def _uuid(text: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_-]{22}(?:==)?", text) is None:
        raise ValueError(f"is {text!r}, which is not a uuid as 22 characters of URL-safe base64")
    from base64 import urlsafe_b64decode

    digits = urlsafe_b64decode(text[:22] + "==").hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
