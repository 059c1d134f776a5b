"""Readers, one kind of file each."""
