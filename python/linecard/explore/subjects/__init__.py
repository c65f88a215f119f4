"""Subjects of sweeps; each module defines one `SUBJECT`, and `linecard.explore.subject` explains subjects."""
