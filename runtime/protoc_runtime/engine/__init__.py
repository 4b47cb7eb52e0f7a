"""The vector engine: evaluates a protocol's formulas over whole tables at once, exactly.

Import from `protoc_runtime.engine.api`, `.over` (aggregates) and `.of` (functions on values). This module itself
imports nothing, so that naming the engine costs no start-up time.
"""
