"""Subjects of sweeps, a module each with its `SUBJECT`; `linecard.explore.subject` says what one is."""
