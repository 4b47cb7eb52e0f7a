"""Phases as a state machine: what a protocol allows, what has happened, what is legal next."""
