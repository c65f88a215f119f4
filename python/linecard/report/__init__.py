"""Self-contained HTML pages of results, which need no network and no extra, and which fit phones and dark mode.

`sheet` writes the parts of a page, and `chart` draws charts. Each other module writes the page of one kind of result;
`explorer` writes the page of sweeps and optimisations. The reports of studies (`study`) need the extra ``report``.
"""
