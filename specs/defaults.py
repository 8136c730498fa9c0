"""The default of a field: its value if the field is absent."""

from __future__ import annotations

import json
import math
import re
from base64 import urlsafe_b64decode
from functools import lru_cache

from wirebook.specs.model import Field, Json
from wirebook.specs.spans import uuid_text

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
    is_null = text == "null"
    if field.is_array or field.is_struct or field.type in ("bytes", "records"):
        if text and not is_null:
            raise ValueError(f"is {text!r}; a {field.type} takes none but null")
        if is_null or field.type == "records":
            return None
        return [] if field.is_array else {} if field.is_struct else ""
    if field.type != "string":
        return _primitive_default(field.type, text)
    if not isinstance(stated, str | None):
        # Kafka's generator takes the text of a number as it is written, which JSON does not keep.
        raise ValueError(f"is {text}, which is not a string")
    if is_null and not field.nullable_versions:
        raise ValueError("is null, but no version of it is nullable")
    return None if is_null else text


class UnfitDefault(str):
    """The text of a default that its type does not allow, which equals no value."""

    __slots__ = ()


def known_default(field: Field) -> Json:
    """The value of an absent field, or an UnfitDefault if its default does not fit."""
    try:
        return default_value(field)
    except ValueError:
        return UnfitDefault(field.default)


@lru_cache(maxsize=1024)
def _primitive_default(kind: str, text: str) -> Json:
    if kind == "bool":
        if text.lower() not in ("", "true", "false"):
            raise ValueError(f"is {text!r}, which is neither true nor false")
        return text.lower() == "true"
    if kind == "uuid":
        if text and not re.fullmatch(r"[A-Za-z0-9_-]{22}(?:==)?", text):
            raise ValueError(
                f"is {text!r}, which is not a uuid as 22 characters of URL-safe base64"
            )
        return uuid_text(urlsafe_b64decode(f"{text[:22]:A<22}==").hex())
    if kind == "float64":
        try:
            number = float(text or 0)
        except ValueError:
            number = math.nan
        if "_" in text or not text.isascii() or not math.isfinite(number):
            raise ValueError(f"is {text!r}, which is not a finite number")
        return number
    if text and not re.fullmatch(_WHOLE, text):
        # 010 is 10 to Kafka's generator, and 8 in the Java that it generates.
        octal = re.fullmatch("0[0-9]+", text)
        raise ValueError(
            f"is {text!r}, which {'begins with a 0' if octal else 'is not a whole number'}"
        )
    lowest, highest = INTEGERS[kind.upper()]
    # Python refuses to read thousands of decimal digits; in front of hex digits may be any zeros.
    value = int(text if "x" in text else text[:99] or "0", 0)
    if not lowest <= value <= highest:
        raise ValueError(f"is {text[:40]}, which does not fit {kind} ({lowest} to {highest})")
    return value
