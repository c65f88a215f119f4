"""The scorecard: every limit that the studies are held to, measured on full studies (`python -m tools.scorecard`)."""
