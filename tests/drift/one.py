def own(values):
    return sum(values)
