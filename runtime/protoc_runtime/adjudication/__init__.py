"""What people decide after a run: sheets out, labels in, and the stages of a bundle that hold them."""
