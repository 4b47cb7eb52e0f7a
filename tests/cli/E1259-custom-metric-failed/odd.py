def odd(ps):
    return 1 / (len(ps) - 2)
