"""Self-contained HTML pages of results, which a browser can show without a network.

The pages adapt to phones and dark mode. The module `sheet` writes parts of pages, and the module `chart` draws charts.
The remaining modules each write the page of one kind of result; for example, `explorer` writes the page of sweeps and
optimisations. Only the reports of studies (`study`) require optional dependencies (``report``).
"""
