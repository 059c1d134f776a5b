"""The steps of the reading path. No I/O but through ports."""
