"""Subjects of sweeps, one module each with its `SUBJECT`; `linecard.explore.subject` defines subjects."""
