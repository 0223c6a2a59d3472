"""Moving bytes through one link: the alpha-beta model, t = n·α + M/β (n pieces, α per piece, M bytes, β bytes per second)."""

from calc.quantity import apply, ceil, largest, q, quotient, total


def transfer_time(message, bandwidth, efficiency=1):
    """Seconds that the bytes take: M / (e·β)."""
    return message / (efficiency * bandwidth)


def half_speed_piece(latency, bandwidth, efficiency=1):
    """Bytes of a piece that travels at half the link's speed: α·e·β."""
    return latency * efficiency * bandwidth


def message_time(message, latency, bandwidth, pieces=1):
    """Seconds of a message in n pieces that wait for one another: n·α + M/β."""
    waiting = latency if not hasattr(pieces, "op") and pieces == 1 else pieces * latency
    return waiting + message / bandwidth


# ---------------------------------------------------------------- copies that overlap work
def double_buffered(blocks, load, compute):
    """Seconds of n blocks whose loads overlap the work on the one before: l + c + (n − 1)·max(l, c)."""
    return load + compute + (q(blocks) - 1) * largest(load, compute)


def buffered(blocks, load, compute, buffers, latency=0):
    """Seconds of n blocks through k buffers, block by block: the link carries one load at a time, a block may be worked on
    `latency` after its load, its buffer is free again when that is done, and the unit works on one block at a time."""
    def finish(n, load, compute, buffers, latency):
        link, unit, free = 0.0, 0.0, [0.0] * int(buffers)
        for i in range(int(n)):
            link = max(link, free[i % len(free)]) + load
            unit = max(unit, link + latency) + compute
            free[i % len(free)] = unit
        return unit

    wait = q(0, "s") if not hasattr(latency, "op") and latency == 0 else latency
    return apply("pipeline", finish, blocks, load, compute, buffers, wait, unit_name="s")


def buffers_to_hide(load, compute, latency):
    """Buffers with which neither link nor unit waits for the other: ⌈(l + latency + c)/max(l, c)⌉."""
    return ceil(total([load, latency, compute]) / largest(load, compute))


def growing_copy(held, growth, bandwidth):
    """Seconds to copy a state that grows while it is copied, V/(β − g); never where it grows as fast as it is sent."""
    return quotient(held, bandwidth - growth)
