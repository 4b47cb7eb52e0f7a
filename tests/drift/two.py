def own(values):
    return sum(values) + 1
