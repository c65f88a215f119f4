"""The scorecard: every limit of the studies, measured on full studies (`python -m tools.scorecard`)."""
