"""A strategy of the tables engine: generalises one cut after the other, from left to right."""


def left_to_right(run):
    bits = run.space.bottom.copy()
    run.measure(bits.copy())
    for place in run.space.free_bits:
        bits[place] = 0
        if run.over():
            break
        if run.space.allows(bits):
            run.measure(bits.copy())
    run.note()
