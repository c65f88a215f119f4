"""Self-contained HTML pages of results: no network, no extra; they open from a disk, on a phone and in the dark.

`sheet` holds what pages are made of, `chart` draws, and each other module writes the page of one kind of result;
`explorer` that of sweeps and optimisations. The reports of studies (`study`) need the extra ``report``.
"""
