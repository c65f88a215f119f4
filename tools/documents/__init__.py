"""Pages of the reference that follow from the code: keys of files, and fields of results. ``make docs`` writes them."""
