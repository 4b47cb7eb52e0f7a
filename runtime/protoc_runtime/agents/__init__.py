"""Subjects that are agents: one session per case, its stream of events, its prompt, what it cost, what it may touch."""
