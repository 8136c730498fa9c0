"""Many cases in one test: for those that cost less than what pytest and its workers do for a test,
4 ms."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

_PARAMETER_SET = type(pytest.param())


def together(
    names: str, cases: Iterable[Any], *, ids: Callable[[Any], str] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize`, with one test for all cases: each runs, and each that fails is
    named.

    `cases` are values, tuples of them or `pytest.param(…, id=…)`. All share the other fixtures of
    the test.
    """
    parameters = [name.strip() for name in names.split(",")]
    listed = list(cases)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            failures: dict[str, BaseException] = {}
            assert listed, "there are no cases"
            for case in listed:
                values, name = _values_of(case, parameters, ids)
                try:
                    test(**dict(zip(parameters, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"case: {name}")
                    failures[f"{name}#{len(failures)}" if name in failures else name] = error
            if failures:
                raise BaseExceptionGroup(f"in {', '.join(failures)}", list(failures.values()))

        signature = inspect.signature(test)
        others = [each for name, each in signature.parameters.items() if name not in parameters]
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate


def _values_of(
    case: Any, parameters: list[str], ids: Callable[[Any], str]
) -> tuple[tuple[Any, ...], str]:
    """The values of a case, and its name."""
    if isinstance(case, _PARAMETER_SET):
        return tuple(case.values), str(case.id or ids(case.values))
    return ((case,) if len(parameters) == 1 else tuple(case)), ids(case)
