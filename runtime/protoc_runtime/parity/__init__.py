"""Whether an optimised runtime decides exactly as the frozen one does."""
