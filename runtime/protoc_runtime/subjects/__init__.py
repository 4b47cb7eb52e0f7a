"""What is evaluated: a Python callable in processes of its own, or rows that exist already."""
