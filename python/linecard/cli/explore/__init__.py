"""Commands that explore spaces of designs."""
