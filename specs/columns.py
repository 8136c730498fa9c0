"""Rows of text in columns, for terminals."""

from collections.abc import Iterator, Sequence


def columns(rows: Sequence[Sequence[str]], *, right: int = 0, rule: bool = False) -> Iterator[str]:
    """Each row as a line, with every column as wide as its widest cell and so padded to the end of the line.

    All rows have the same number of cells. The first `right` columns are aligned right; with `rule`, a
    line of dashes is below the first row.
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        yield "  ".join(
            cell.rjust(width) if column < right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        if rule and number == 0:
            yield "  ".join("-" * width for width in widths)
