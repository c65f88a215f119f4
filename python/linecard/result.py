"""The base class of results, which converts a result to plain data, a table, a data frame and six file formats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from linecard._core import __version__
from linecard.errors import ConfigError
from linecard.files import write_bytes, write_file
from linecard.records import field_names, left_out, need_polars, plain
from linecard.tables import Table, csv_text, frame, json_text, manifest_beside, records

if TYPE_CHECKING:
    import polars

FORMATS = ("json", "csv", "parquet", "html", "svg", "png")


def named_format(path: str | Path) -> tuple[str, str]:
    """Return the format and the name of an output file that is given as ``NAME.SUFFIX`` or ``FORMAT:NAME``.

    Raises:
        ConfigError: Neither the suffix nor the prefix of the name is a format listed in :data:`FORMATS`.

    >>> named_format("run.csv")
    ('csv', 'run.csv')
    >>> named_format("csv:-")
    ('csv', '-')
    """
    name = str(path)
    said, colon, rest = name.partition(":")
    if colon and said in FORMATS:
        return said, rest
    ending = Path(name).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        endings = ", ".join(f".{each}" for each in FORMATS)
        raise ConfigError(
            f"cannot write {name}: found the ending {Path(name).suffix!r}, expected one of {endings}, "
            f"or FORMAT:NAME such as csv:{name}"
        )
    return ending, name


def need_for(kind: str) -> None:
    """Import the libraries that a file format requires.

    Raises:
        MissingExtraError: The optional dependencies that provide the libraries are not installed.
    """
    if kind == "parquet":
        need_polars()
    elif kind == "png":
        from linecard.report.picture import need_resvg

        need_resvg()


class Result:
    """The base class of results. Subclasses declare which fields their table, manifest and ``to_dict`` output contain.

    Attributes:
        TABLE: Name of the field that contains the rows of the table.
        ASKED: Names of the fields that describe the request; the manifest contains these fields.
        INPUT: Name of the field that contains the input; if the input is a file, the manifest contains the hash of this
            file.
        APART: Names of the fields that ``to_dict`` omits.
    """

    __slots__ = ()

    TABLE: ClassVar[str]
    ASKED: ClassVar[tuple[str, ...]] = ()
    INPUT: ClassVar[str] = ""
    APART: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON."""
        without = left_out(self).union(self.APART)
        return {name: plain(getattr(self, name)) for name in field_names(type(self)) if name not in without}

    def table(self) -> Table:
        """The table of the result, with named columns and rows."""
        return records(getattr(self, self.TABLE))

    def to_frame(self) -> polars.DataFrame:
        """The table as a polars data frame; this method requires the optional dependencies ``frames``."""
        found = self.table()
        return frame(found.columns, found.rows)

    def manifest(self) -> dict[str, Any]:
        """The contents of the manifest: the request, the version of Linecard, and the hashes of the input files.

        If a result has the field ``asked``, the manifest contains it as the request, with the hash of each named file.
        """
        from linecard.request import file_hash, hashes_of

        found: dict[str, Any] = {"linecard_version": __version__, "result": type(self).__name__}
        if self.INPUT:
            file = Path(str(getattr(self, self.INPUT)))
            found["input_hash"] = file_hash(file) if file.is_file() else None
        found |= {name: plain(getattr(self, name)) for name in self.ASKED}
        asked = getattr(self, "asked", None)
        return {**found, "request": asked, "files": hashes_of(asked)} if asked else found

    def save(self, path: str | Path, *, command: str | None = None) -> Path:
        """Write the result to a file, and its manifest to ``NAME.manifest.json`` in the same folder.

        Args:
            path: The file to write. The suffix of the file name, or the prefix ``FORMAT:``, selects the format.
                ``json`` contains the whole result; ``csv`` and ``parquet`` contain the table. ``html`` is one
                self-contained page; ``svg`` and ``png`` contain the charts. ``parquet`` requires the optional
                dependencies ``frames``; ``png`` requires ``plot``. The path ``-`` means stdout.
            command: Command that repeats the run; the page and the manifest contain this command.

        Returns:
            Path of the file that was written.

        Raises:
            ConfigError: The name does not determine a format, or the file cannot be written.
            MissingExtraError: Optional dependencies that the format requires are not installed.
        """
        kind, name = named_format(path)
        need_for(kind)
        if kind == "parquet":
            write_file(name, self.to_frame().write_parquet)
        else:
            write_bytes(name, self._bytes(kind, command))
        manifest_beside(name, {**self.manifest(), **({"command": command} if command else {})})
        return Path(name)

    def page(self, command: str | None = None) -> str:
        """Convert the result to one self-contained HTML page; ``command`` is the command that repeats the run."""
        from linecard.report.page import page
        from linecard.view import view_of

        return page(view_of(self), command)

    def _bytes(self, kind: str, command: str | None) -> bytes:
        from linecard.report.picture import picture, png
        from linecard.view import view_of

        if kind == "json":
            return json_text(self.to_dict()).encode()
        if kind == "csv":
            found = self.table()
            return csv_text(found.columns, found.rows).encode()
        if kind == "html":
            return self.page(command).encode()
        drawn = picture(view_of(self))
        return png(drawn) if kind == "png" else drawn.encode()

    def _repr_html_(self) -> str:
        from linecard.report.page import notebook
        from linecard.view import view_of

        return notebook(view_of(self))


class ResultOfRun(Result):
    """The result of a run; two runs with the same request return the same result, except for the fields in ``CHANCE``.

    Attributes:
        CHANCE: Names of the fields that may differ between two runs with the same request.
    """

    __slots__ = ()

    CHANCE: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = (name for name in field_names(type(self)) if name not in self.CHANCE)
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]
