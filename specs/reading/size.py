"""Refuses messages whose structs are nested too deeply, or with too many fields in too many versions."""

from __future__ import annotations

from wirebook.specs.limits import MAX_LAID_OUT, MAX_STRUCT_DEPTH
from wirebook.specs.model import Field, Message
from wirebook.specs.problems import InputError

_Size = tuple[int, int]  # the fields of a struct with all below it, and how many structs are nested in it


def refuse_too_large(message: Message) -> None:
    """Raise InputError, with the position, if a message is above the limits of `specs/limits.py`."""
    sizes: dict[str, _Size] = {}

    def size_of(fields: tuple[Field, ...], within: tuple[str, ...]) -> _Size:
        count = depth = 0
        for field in fields:
            count += 1
            inner = message.fields_of(field)
            name = field.element
            if not inner or name in within:
                continue
            size = sizes.get(name) if inner is not field.fields else None
            if len(within) + (size[1] if size else 0) >= MAX_STRUCT_DEPTH:
                words = f"more than {MAX_STRUCT_DEPTH} structs contain each other in turn"
                raise InputError(words, message.path or None, field.written.position)
            if size is None:
                size = size_of(inner, (*within, name))
                if inner is not field.fields:
                    sizes[name] = size
            count += size[0]
            depth = max(depth, size[1] + 1)
        return count, depth

    for struct in message.common_structs:
        size_of(struct.fields, (struct.name,))
    fields, valid = size_of(message.fields, ())[0], message.valid_versions
    if fields * len(valid) > MAX_LAID_OUT:
        words = f"{fields:,} fields in {len(valid):,} versions are above the limit of {MAX_LAID_OUT:,} in all"
        if valid.open:
            words += '; name the last version, as in "0-9"'
        raise InputError(words, message.path or None, message.written.at("validVersions"))
