"""Drift review: what changed between two protocols, in which direction, and whether anything can pass that could not.

Meanings are compared, not texts. `differences` finds what differs, `kinds` and `shared` say what each difference is,
`effects` what it does to every rule and to the verdict.
"""
