"""Commands for studies that reproduce published results."""
