"""Self-contained HTML pages of results: they need no network and no extra, and fit phones and dark mode.

`sheet` writes the parts of pages, and `chart` draws charts. Each other module writes the page of one kind of result,
`explorer` that of sweeps and optimisations. The reports of studies (`study`) need the extra ``report``.
"""
