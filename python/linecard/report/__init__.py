"""Self-contained HTML pages of results, which need neither a network nor optional dependencies.

The pages adapt to phones and dark mode. `sheet` writes the parts of a page, and `chart` draws charts. Each other module
writes the page of one kind of result; `explorer` writes the page of sweeps and optimisations. The reports of studies
(`study`) require the optional dependencies ``report``.
"""
