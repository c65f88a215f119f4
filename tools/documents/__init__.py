"""Pages of the reference that follow from the code: keys of files, and what results hold. ``make docs`` writes them."""
