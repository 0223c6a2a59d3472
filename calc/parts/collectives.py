"""Collectives: how long devices take to exchange or add up data, in the alpha-beta model.

Time = fixed start + steps × seconds per step + bytes on the busiest device ÷ bandwidth (R. W. Hockney, Parallel Computing
20 (1994) 389; R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005) 49). Bandwidths are per direction. Not in the model:
protocols that halve the bandwidth, chunks filling a pipeline, other traffic, devices that arrive late.
"""

from calc.parts import chance
from calc.parts.weights import width as bytes_of
from calc.quantity import ceil, largest, let, log2, positive, q, smallest

# (kind, algorithm) pairs that are defined; steps and bytes are in `steps` and `wire_bytes`.
ALGORITHMS = {
    "all-reduce": ("ring", "tree", "double-tree", "one-shot", "two-shot", "in-switch"),
    "all-gather": ("ring",), "reduce-scatter": ("ring",), "all-to-all": ("direct",),
}


def _known(kind, algorithm):
    if kind not in ALGORITHMS:
        raise ValueError(f"unknown collective {kind!r}; known: {', '.join(ALGORITHMS)}")
    if algorithm not in ALGORITHMS[kind] and algorithm != "in-network":
        raise ValueError(f"{kind} by {algorithm} is not defined here; known: {', '.join(ALGORITHMS[kind])}")


def rounds(devices):
    """Rounds in which one device reaches n by doubling, ⌈log₂ n⌉ (count)."""
    return ceil(log2(devices))


def steps(kind, algorithm, devices):
    """How many messages follow one another (count).

    All-reduce: ring 2(n − 1); plain and double tree 2⌈log₂ n⌉; one-shot 1; two-shot 2; in the switch 2. All-gather and
    reduce-scatter by ring n − 1; all-to-all 1.
    """
    _known(kind, algorithm)
    n = q(devices)
    if kind == "all-reduce":
        fixed = {"one-shot": 1, "two-shot": 2, "in-switch": 2, "in-network": 2}.get(algorithm)
        if fixed:
            return q(fixed)
        return 2 * (n - 1) if algorithm == "ring" else 2 * rounds(n)
    return q(1) if kind == "all-to-all" else n - 1


def wire_bytes(kind, algorithm, message, devices):
    """Bytes that leave the busiest device when each starts (or ends) with `message` bytes.

    All-reduce: ring and two-shot 2(n − 1)/n·M (the least without help from the network: P. Patarasuk, X. Yuan, JPDC 69
    (2009) 117); plain tree 2⌈log₂ n⌉·M, since the whole message is handed on in every round; double tree, pipelined, 2·M
    (P. Sanders, J. Speck, J. L. Träff, Parallel Computing 35 (2009) 581); one-shot (n − 1)·M; in the switch (n + 1)/n·M
    with every device sending its shares and receiving the sum; "in-network" M, sending once while receiving once. The
    others move (n − 1)/n·M.
    """
    _known(kind, algorithm)
    n = q(devices)
    if kind != "all-reduce":
        return (n - 1) / n * message
    if algorithm == "tree":
        return 2 * rounds(n) * message
    if algorithm == "one-shot":
        return (n - 1) * message
    if algorithm == "in-switch":
        return (n + 1) / n * message
    return {"double-tree": q(2), "in-network": q(1)}.get(algorithm, 2 * (n - 1) / n) * message


def waiting(kind, algorithm, devices, step, start=None):
    """Seconds that do not depend on the bytes: start + steps × seconds per step."""
    walked = steps(kind, algorithm, devices) * step
    return walked if start is None else start + walked


def time(kind, algorithm, message, devices, bandwidth, step, start=None):
    """Seconds of one collective; 0 for a single device."""
    if q(devices).value == 1:
        return q(0, "s")
    return waiting(kind, algorithm, devices, step, start) + wire_bytes(kind, algorithm, message, devices) / bandwidth


def best_time(kind, message, devices, bandwidth, step, start=None):
    """Seconds of the fastest algorithm that is defined for this kind; the trace shows which."""
    return smallest(*(let(f"t_{a}", time(kind, a, message, devices, bandwidth, step, start), a, "us") for a in ALGORITHMS[kind]))


def bus_bandwidth(kind, message, devices, seconds):
    """B/s that benchmarks print: the ring's bytes per device ÷ time, whatever the algorithm (nccl-tests, PERFORMANCE.md).

    A definition: a switch that adds up can show more than the wire carries.
    """
    return wire_bytes(kind, "ring" if kind == "all-reduce" else ALGORITHMS[kind][0], message, devices) / seconds


def half_message(kind, algorithm, devices, bandwidth, step, start=None):
    """Bytes at which the wire takes as long as the waiting."""
    per_byte = wire_bytes(kind, algorithm, q(1), devices)
    return waiting(kind, algorithm, devices, step, start) * bandwidth / per_byte


def ring_tree_crossover(devices, bandwidth, step):
    """Bytes above which a ring beats a pipelined double tree: n·β·α·(n − 1 − ⌈log₂ n⌉)."""
    return devices * bandwidth * step * positive(devices - 1 - rounds(devices))


def bidirectional_all_gather(message, bandwidth, axes=1):
    """Seconds of an all-gather on rings that send both ways along `axes` axes, β per axis in both directions together: M/(a·β).

    The limit of many devices, waiting left out.
    """
    return message / (axes * bandwidth)


# ---------------------------------------------------------------- two levels
def staged(message, local_devices, nodes, local_bandwidth, bandwidth, nics, local_step, step, algorithm="ring"):
    """(local seconds, seconds across nodes) of an all-reduce that adds up inside each node first.

    Reduce-scatter inside, all-reduce of one share per NIC across (`algorithm`), all-gather inside; the two are one after the
    other unless chunks are pipelined, and then the longer one is the bound.
    """
    local = time("all-reduce", "ring", message, local_devices, local_bandwidth, local_step)
    return local, time("all-reduce", algorithm, message / nics, nodes, bandwidth, step)


def rings_on_all_nics(message, devices, local_bandwidth, bandwidth, nics, step):
    """Seconds of one ring over all devices per NIC: bytes shared over the NICs, every step walked; the slower link decides."""
    return time("all-reduce", "ring", message, devices, smallest(nics * bandwidth, local_bandwidth), step)


def gradient_stages(message, local_devices, nodes, local_bandwidth, bandwidth):
    """(inside, across) seconds of a gradient all-reduce with one NIC per device, large messages (no waiting)."""
    n, g = q(nodes), q(local_devices)
    inside = 2 * (g - 1) / g * message / local_bandwidth if g.value > 1 else q(0, "s")
    across = 2 * (n - 1) / n * (message / g) / bandwidth if n.value > 1 else q(0, "s")
    return inside, across


def joined(inside, across, schedule="pipelined"):
    """Seconds of two stages: "pipelined" buckets stream through both, so the longer one; "summed" does one after the other."""
    if schedule not in ("pipelined", "summed"):
        raise ValueError(f"unknown schedule {schedule!r}; known: pipelined, summed")
    return largest(inside, across) if schedule == "pipelined" else inside + across


def nodes_filled_evenly(devices, domain):
    """(nodes, devices per node): n devices spread over ⌈n/domain⌉ nodes, at least one."""
    nodes = largest(1, ceil(q(devices) / domain))
    return nodes, q(devices) / nodes


def shared(bandwidth, flows):
    """B/s of each of `flows` flows that share one link fairly."""
    return bandwidth / flows


# ---------------------------------------------------------------- experts
def row_bytes(width, bits, scale_group=None, scale_bits=32):
    """Bytes of one token's row of `width` values of `bits`; with `scale_group` one scale of `scale_bits` per so many values."""
    values = width * bytes_of(bits)
    return values if scale_group is None else values + width / q(scale_group) * bytes_of(scale_bits)


def nodes_touched(nodes, experts, picks, node_limit=None):
    """Mean number of distinct nodes that hold a token's `picks` experts: D = L·(1 − C(E′ − e, k)/C(E′, k)).

    Every set of k experts equally likely, E/N experts per node; with a limit the experts are on L = min(limit, N) nodes, and
    E′ = L·e of them can be picked; never when those are fewer than k.
    """
    per_node = q(experts) / nodes
    reached = q(nodes) if node_limit is None else smallest(node_limit, nodes)
    return reached * (1 - chance.none_among(reached * per_node, per_node, picks))


def off_node_copies(nodes, touched):
    """Copies of a row that leave the node when one is sent per touched node (or per pick): D·(N − 1)/N."""
    return touched * (q(nodes) - 1) / nodes
