"""Stores: where sessions, memories and jobs live. Concrete ones are imported by the engine only."""
