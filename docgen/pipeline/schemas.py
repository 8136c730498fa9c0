"""The typed schemas of the pipeline's rows and of the catalog's tables."""

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    IntegerType,
    StringType,
    StructField,
    StructType,
)

STRING, INT, BOOL, BINARY = StringType(), IntegerType(), BooleanType(), BinaryType()


def _struct(**columns: DataType | tuple[DataType, bool]) -> StructType:
    fields = []
    for name, column in columns.items():
        kind, nullable = column if isinstance(column, tuple) else (column, False)
        fields.append(StructField(name, kind, nullable))
    return StructType(fields)


def _maybe(kind: DataType) -> tuple[DataType, bool]:
    return (kind, True)


FILES = _struct(ordinal=INT, path=STRING, digest=STRING)

FACT = _struct(
    kind=STRING,
    part=STRING,
    version=INT,
    path=STRING,
    unstable=BOOL,
    deprecated=BOOL,
    flexible=_maybe(INT),
    nullable=_maybe(INT),
    tagged=_maybe(INT),
    default=_maybe(STRING),
)
STATE = _struct(
    state=INT,
    valid=ArrayType(INT, False),
    deprecated=ArrayType(INT, False),
    unstable=ArrayType(INT, False),
    facts=ArrayType(FACT, False),
)
VERSION = _struct(
    version=INT, flexible=BOOL, header_version=_maybe(INT), unstable=BOOL, deprecated=BOOL, fingerprint=STRING
)
FIELD = _struct(
    versions=ArrayType(INT, False),
    places=ArrayType(INT, False),
    path=STRING,
    name=STRING,
    type=STRING,
    element=_maybe(STRING),
    spec_type=STRING,
    nullable=BOOL,
    tag=_maybe(INT),
    default=STRING,
    ignorable=BOOL,
    entity_type=_maybe(STRING),
    map_key=BOOL,
    about=STRING,
)
PARSED = _struct(
    digest=STRING,
    path=STRING,
    error=_maybe(STRING),
    subject=_maybe(STRING),
    message=_maybe(STRING),
    part=_maybe(STRING),
    type=_maybe(STRING),
    api=_maybe(STRING),
    api_key=_maybe(INT),
    listeners=_maybe(ArrayType(STRING, False)),
    problems=_maybe(ArrayType(STRING, False)),
    states=_maybe(ArrayType(STATE, False)),
    states_at=_maybe(ArrayType(_struct(ordinal=_maybe(INT), state=INT), False)),
    versions=_maybe(ArrayType(VERSION, False)),
    fields=_maybe(ArrayType(FIELD, False)),
    model=_maybe(BINARY),
)
