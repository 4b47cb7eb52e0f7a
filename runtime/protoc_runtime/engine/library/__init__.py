"""The library: one small function per name, over rows or on values. `over` and `of` publish them by name."""
