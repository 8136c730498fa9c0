"""A setting: a value with its origin."""

from typing import Generic, NamedTuple, TypeVar

DEFAULT, COMMAND_LINE = "default", "command line"

Value = TypeVar("Value")


class Setting(NamedTuple, Generic[Value]):
    """A value, and its origin: "default", "wirebook.toml:3" or "command line"."""

    value: Value
    origin: str = DEFAULT
