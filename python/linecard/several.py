"""Combines several results of the same type into one result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from linecard.result import Result
from linecard.tables import Table
from linecard.view import Part, view, view_of

Each = TypeVar("Each", bound=Result)


class Several(Result, Generic[Each]):
    """One result that combines several results of the same type, with concatenated tables and views.

    Attributes:
        results: The results that are combined, in the order of their rows in the table.
        name: Name of the list of results in the dictionary that ``to_dict`` returns. If ``results`` contains only one
            result, ``to_dict`` returns the dictionary of this result.
        key: Name of the field in which the results differ; this field is the first column of the table.
    """

    __slots__ = ("key", "name", "results")

    def __init__(self, results: Sequence[Each], name: str, key: str) -> None:
        self.results, self.name, self.key = tuple(results), name, key

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON."""
        found = [each.to_dict() for each in self.results]
        return found[0] if len(found) == 1 else {self.name: found}

    def table(self) -> Table:
        """The rows of all results; the first column is the field in which the results differ."""
        tables = [(getattr(each, self.key), each.table()) for each in self.results]
        return Table((self.key, *tables[0][1].columns), [[key, *row] for key, each in tables for row in each.rows])

    def manifest(self) -> dict[str, Any]:
        """The manifest of the first result; the field in which the results differ lists the values of all results."""
        several = {self.key: [getattr(each, self.key) for each in self.results]}
        return {**self.results[0].manifest(), "result": type(self).__name__, **several}


@view.register(Several)
def _(result: Several[Any]) -> list[Part]:
    return [part for each in result.results for part in view_of(each)]
