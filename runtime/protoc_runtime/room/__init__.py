"""The review room: a page of this machine on which people mark, judge and lock, step by step in the stage's ledger."""
