"""Subjects of sweeps: each module defines one `SUBJECT`, an instance of `linecard.explore.subject.Subject`."""
