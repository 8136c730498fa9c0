"""Changes of one token of the code, those of cosmic-ray that something can observe."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

# Arguments that are there for type checkers or memory, or that assert what is always so.
SILENT = {"dataclass": {"frozen", "slots"}, "zip": {"strict"}}

# One change for each token. Other operators of cosmic-ray change annotations (`|`), or nothing that can be
# observed (`==` to `is`, no `@cache`).
OPERATORS = (
    *(
        f"core/ReplaceComparisonOperator_{change}"
        for change in ("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Is_IsNot", "IsNot_Is")
    ),
    *(
        f"core/ReplaceBinaryOperator_{change}"
        for change in ("Add_Sub", "Sub_Add", "Mul_FloorDiv", "FloorDiv_Mul", "Mod_Add", "BitAnd_BitOr")
    ),
    "core/ReplaceBinaryOperator_LShift_RShift",
    "core/ReplaceBinaryOperator_RShift_LShift",
    "core/ReplaceUnaryOperator_Delete_Not",
    "core/ReplaceUnaryOperator_Delete_USub",
    "core/AddNot",
    "core/ReplaceTrueWithFalse",
    "core/ReplaceFalseWithTrue",
    "core/ReplaceAndWithOr",
    "core/ReplaceOrWithAnd",
    "core/ReplaceBreakWithContinue",
    "core/ReplaceContinueWithBreak",
    "core/ExceptionReplacer",
    "core/NumberReplacer",
    "core/ZeroIterationForLoop",
)


@dataclass(frozen=True, order=True)
class Mutant:
    """One change of one token: the `occurrence`-th place in a file where an operator applies."""

    path: str
    line: int
    operator: str
    occurrence: int
    statement: int
    """The first line of the statement, which is the one that the record of the tests names."""


def mutants_in(path: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file, except for changes that nothing can observe."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator

    tree = ast.parse(source)
    ignored = [_span(node) for node in unobservable(tree)]
    statements = sorted((*_span(node), node.lineno) for node in ast.walk(tree) if isinstance(node, ast.stmt))
    nodes = list(ast_nodes(get_ast(source)))
    for name in OPERATORS:
        operator = get_operator(name)()
        places = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (at, _) in enumerate(places):
            if not any(first <= at < last for first, last in ignored):
                statement = max(found for found in statements if found[0] <= at < found[1])
                yield Mutant(path, at[0], name, occurrence, statement[2])


def _span(node: ast.expr | ast.stmt) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where a node begins and ends; decorators are part of a definition."""
    begins = min([node, *getattr(node, "decorator_list", [])], key=lambda part: part.lineno)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (begins.lineno, begins.col_offset), (node.end_lineno, node.end_col_offset)


def unobservable(tree: ast.Module) -> Iterator[ast.expr | ast.stmt]:
    """Code that changes nothing when it runs: what type checkers read, texts of asserts, sizes of caches."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None:
            yield node.returns
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield node
        elif isinstance(node, ast.Assert) and node.msg is not None:
            yield node.msg
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name == "lru_cache":
                yield node
            yield from (part.value for part in node.keywords if part.arg in SILENT.get(name, ()))


def mutated(mutant: Mutant, source: str) -> str:
    """The text of the file with the change."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    assert isinstance(changed, str)
    return changed


def difference(before: str, after: str) -> tuple[str, str]:
    """The first line that differs, before and after."""
    pairs = itertools.zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    return next(((old.strip(), new.strip()) for old, new in pairs if old != new), ("", ""))
