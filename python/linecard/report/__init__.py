"""Self-contained HTML pages that show results; a browser can open these pages without network access.

The pages adapt to phones and dark mode. The module `sheet` writes parts of pages, and the module `chart` draws charts.
Each of the remaining modules writes the page of one type of result; for example, `explorer` writes the page of sweeps
and optimisations. Only the reports of studies (module `study`) require optional dependencies (extra ``report``).
"""
