"""The run-time part of the catalogue of diagnostics: one module per area, each with a tuple `KINDS`."""
