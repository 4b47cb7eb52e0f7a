"""Freeze manifests: what must stand in the file that pins a candidate, and whether one holds it."""
