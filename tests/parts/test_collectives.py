"""Collectives: exchanges played out message by message, closed forms, and the outlines' cases."""

import itertools
import random

import pytest

from calc.parts import collectives, layers, roofline, training, weights
from calc.quantity import ceil, largest, q
from tests.parts.outline import agree, parametrize

TWO = q(2, "B")


def sums(model):
    """All-reduces per pass of a model that is cut by matrix: one per mixer and one per feed-forward part."""
    return sum(layers.mixers(model).values()) + sum(layers.feed_forwards(model).values())


def collective_cost(collective, algorithm, message, group_size, link, base_latency, step_latency):
    """The terms of chapter 6's collective."""
    how = "direct" if collective == "all-to-all" else algorithm
    seconds = collectives.time(collective, how, message, group_size, link.bandwidth, step_latency, base_latency)
    wire = collectives.wire_bytes(collective, how, message, group_size)
    return {"steps": collectives.steps(collective, how, group_size), "wire": wire, "wire_time": wire / link.bandwidth, "time": seconds,
            "waiting": collectives.waiting(collective, how, group_size, step_latency, base_latency),
            "bus_bandwidth": collectives.bus_bandwidth(collective, message, group_size, seconds),
            "half_message": collectives.half_message(collective, how, group_size, link.bandwidth, step_latency, base_latency),
            "best_time": collectives.best_time(collective, message, group_size, link.bandwidth, step_latency, base_latency)}


def tensor_parallel_step(model, accelerator, tensor_parallel, batch, algorithm, base_latency, step_latency, **_):
    """The waiting of chapter 6's decode step."""
    message = batch * model.hidden * TWO
    if not accelerator.has("scale_up.per_direction"):
        return {"message": message}
    one = collectives.time("all-reduce", algorithm, message, tensor_parallel, accelerator.scale_up.per_direction, step_latency, base_latency)
    return {"message": message, "allreduce": one, "sync": sums(model) * one}


def supernode_size(model, accelerator, group_size, batch, base_latency, step_latency, algorithm, **_):
    """The waiting of chapter 6's group."""
    found = tensor_parallel_step(model, accelerator, group_size, batch, algorithm, base_latency, step_latency)
    return {"allreduce": found["allreduce"], "sync": found["sync"]}


def pipeline_or_tensor(model, accelerator, layout, nodes, batch, link, accelerators_per_node, base_latency, local_step_latency,
                       network_step_latency, **_):
    """The waiting of chapter 6's two boxes."""
    up = accelerator.scale_up.per_direction
    if layout == "pipeline":
        message = ceil(batch / nodes) * model.hidden * TWO
        one = collectives.time("all-reduce", "ring", message, accelerators_per_node, up, local_step_latency, base_latency)
        return {"allreduce": one, "sync": sums(model) * one}
    message = batch * model.hidden * TWO
    local, across = collectives.staged(message, accelerators_per_node, nodes, up, link.bandwidth, accelerators_per_node,
                                       local_step_latency, network_step_latency)
    one = base_latency + local + across
    return {"allreduce": one, "sync": sums(model) * one}


def gradient_allreduce(model, accelerator, accelerators, tokens_per_accelerator, link, overlap_share, grad_bits, link_efficiency,
                       compute_efficiency):
    """The terms of chapter 7's data-parallel step."""
    domain = accelerator.scale_up_domain if accelerator.has("scale_up_domain") and accelerator.has("scale_up.per_direction") else q(1)
    nodes, local = collectives.nodes_filled_evenly(accelerators, domain)
    gradient = weights.total_weights(model) * grad_bits
    up = accelerator.scale_up.per_direction * link_efficiency if local.value > 1 else link.bandwidth
    inside, across = collectives.gradient_stages(gradient, local, nodes, up, link.bandwidth * link_efficiency)
    communication = collectives.joined(inside, across)
    compute = roofline.compute_time(q(6, "FLOP") * weights.active(model) * tokens_per_accelerator, accelerator, efficiency=compute_efficiency)
    backward = compute * 2 / 3
    exposed = training.exposed(communication, overlap_share * backward)
    rate = roofline.peak(accelerator) * compute_efficiency
    return {"tokens_to_hide": training.tokens_to_hide(communication, weights.active(model), rate, overlap_share),
            "gradient_bytes": gradient, "inside_node_stage": inside, "cross_node_stage": across, "communication": communication,
            "compute_time": compute, "backward_time": backward, "exposed": exposed, "compute_share": compute / (compute + exposed),
            "upper_bound_stages_not_pipelined": collectives.joined(inside, across, "summed")}


def hierarchical_allreduce(message, nodes, local_link, link, nics_per_node, network_step_latency, accelerators_per_node, local_step_latency,
                           link_efficiency):
    """The terms of chapter 7's routes."""
    up, out = local_link.bandwidth * link_efficiency, link.bandwidth * link_efficiency
    g, devices = accelerators_per_node, nodes * accelerators_per_node

    def staged(algorithm):
        return collectives.staged(message, g, nodes, up, out, nics_per_node, local_step_latency, network_step_latency, algorithm)

    local, ring = staged("ring")
    tree, switch = staged("double-tree")[1], staged("in-network")[1]
    flat = collectives.time("all-reduce", "ring", message, devices, out, network_step_latency)
    rails = collectives.rings_on_all_nics(message, devices, up, out, nics_per_node, network_step_latency)
    found = {"flat_ring_one_nic": flat, "rings_on_all_nics": rails, "local_stage": local, "cross_ring": ring, "cross_tree": tree,
             "cross_in_network": switch, "staged_ring": local + ring, "staged_tree": local + tree, "staged_in_network": local + switch,
             "ring_tree_crossover": collectives.ring_tree_crossover(nodes, nics_per_node * out, network_step_latency)}
    best = min((found[k] for k in ("flat_ring_one_nic", "rings_on_all_nics", "staged_ring", "staged_tree")), key=lambda x: x.value)
    return found | {"best_time": best, "bus_bandwidth": collectives.bus_bandwidth("all-reduce", message, devices, best)}


def data_parallel_overlap(model, accelerator, accelerators, tokens_per_accelerator, link, gradient_scheme, compute_efficiency, flat_ring,
                          micro_batches):
    """The terms of chapter 10's gradient."""
    fast = accelerator.has("scale_up_domain") and accelerator.has("scale_up.per_direction")
    domain = accelerator.scale_up_domain if fast and not flat_ring else q(1)
    local = domain if domain.value < accelerators.value else accelerators
    nodes = largest(1, ceil(accelerators / local))
    message = weights.total_weights(model) * TWO
    up = accelerator.scale_up.per_direction if fast else link.bandwidth
    inside, across = collectives.gradient_stages(message, local, nodes, up, link.bandwidth)
    both = collectives.joined(inside, across, "summed")
    step = training.flops_per_token(model, q(8192)) * tokens_per_accelerator
    math = roofline.compute_time(step, accelerator, efficiency=compute_efficiency)
    zero = gradient_scheme == "zero-3"
    sent = training.gradient_passes(3, micro_batches) / 2 * both if zero else both
    hiding = math if zero else 2 * math / 3 / micro_batches
    exposed = training.exposed(sent, hiding, both / model.layers)
    return {"communication": sent, "exposed": exposed, "forward": math / 3, "backward": 2 * math / 3, "step_time": math + exposed,
            "share_lost": exposed / (math + exposed)}


def moe_across_nodes(model, tokens_per_accelerator, expert_parallel, node_limit, link, copies, accelerator, dispatch_bits, combine_bits,
                     scale_group, link_efficiency, **_):
    """The traffic of chapter 7's experts."""
    domain = accelerator.scale_up_domain if accelerator.has("scale_up_domain") else q(1)
    nodes, local = collectives.nodes_filled_evenly(expert_parallel, domain)
    rows = collectives.row_bytes(model.hidden, dispatch_bits, scale_group) + collectives.row_bytes(model.hidden, combine_bits)
    picks = model.moe.top_k
    touched = collectives.nodes_touched(nodes, model.moe.experts, picks, node_limit)
    if touched.value is None:
        return {"nodes_touched": touched, "network_time_per_layer": touched}
    per = collectives.off_node_copies(nodes, touched if copies == "per-node" else picks)
    sent = tokens_per_accelerator * per * rows
    found = {"nodes_touched": touched, "copies_sent_off_node": per, "bytes_per_accelerator": sent,
             "network_time_per_layer": sent / (link.bandwidth * link_efficiency),
             "one_copy_per_expert_would_send": tokens_per_accelerator * collectives.off_node_copies(nodes, picks) * rows}
    if accelerator.has("scale_up.per_direction"):
        inside = tokens_per_accelerator * collectives.off_node_copies(local, picks) * rows
        found["forwarding_inside_node"] = inside / accelerator.scale_up.per_direction
    return found


def expert_all_to_all(model, batch_per_accelerator, link, base_latency, link_efficiency, **_):
    """The traffic of chapter 6's experts."""
    picked = batch_per_accelerator * model.moe.top_k
    out = picked * collectives.row_bytes(model.hidden, 8, 128)
    back = picked * collectives.row_bytes(model.hidden, 16)
    rate = link.bandwidth * link_efficiency
    return {"dispatch_bytes": out, "combine_bytes": back, "dispatch": out / rate + base_latency, "combine": back / rate + base_latency}


def serving_plan(model, tensor_parallel, pipeline_parallel, batch, link, base_latency, accelerators, **_):
    """The waiting of chapter 9's plan: one all-reduce after every mixer and feed-forward part, by the bytes of a ring."""
    copies = accelerators.value // (tensor_parallel.value * pipeline_parallel.value)
    if copies < 1:
        return {}
    message = ceil(batch / copies / pipeline_parallel) * model.hidden * TWO
    if tensor_parallel.value == 1:
        return {}
    one = base_latency + collectives.wire_bytes("all-reduce", "ring", message, tensor_parallel) / link.bandwidth
    return {"tp_wait": sums(model) * one}


def moe_expert_placement(model, accelerator, expert_parallel, batch_per_accelerator, imbalance, link, link_efficiency, **_):
    """The wire of chapter 9's experts: only rows that leave the domain."""
    nodes = largest(1, expert_parallel / accelerator.scale_up_domain)
    sent, rate = batch_per_accelerator * collectives.off_node_copies(nodes, model.moe.top_k) * imbalance, link.bandwidth * link_efficiency
    return {"dispatch": sent * collectives.row_bytes(model.hidden, 8, 128) / rate,
            "combine": sent * collectives.row_bytes(model.hidden, 16) / rate}


@parametrize((6, "collective-cost", collective_cost), (6, "tensor-parallel-step", tensor_parallel_step), (6, "supernode-size", supernode_size),
             (6, "pipeline-or-tensor", pipeline_or_tensor), (6, "expert-all-to-all", expert_all_to_all),
             (7, "gradient-allreduce", gradient_allreduce), (7, "hierarchical-allreduce", hierarchical_allreduce),
             (7, "moe-across-nodes", moe_across_nodes), (10, "data-parallel-overlap", data_parallel_overlap), (9, "serving-plan", serving_plan),
             (9, "moe-expert-placement", moe_expert_placement))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


class Exchange:
    """Devices that send chunks in rounds; counts the rounds and the bytes that each device has sent."""

    def __init__(self, devices, chunks):
        self.data = [[random.Random(100 * d + c).randrange(1000) for c in range(chunks)] for d in range(devices)]
        self.sums = [sum(row[c] for row in self.data) for c in range(chunks)]
        self.sent, self.rounds = [0] * devices, 0

    def round(self, messages, add):
        """All (sender, receiver, chunk) messages of one round at once."""
        values = [(to, c, self.data[of][c]) for of, to, c in messages]
        for of, _, _ in messages:
            self.sent[of] += 1
        for to, c, value in values:
            self.data[to][c] = self.data[to][c] + value if add else value
        self.rounds += 1

    def check(self, algorithm, chunks):
        """Every device has every sum; the formula has the rounds and the bytes of the busiest device."""
        n = len(self.data)
        assert all(row == self.sums for row in self.data)
        assert collectives.steps("all-reduce", algorithm, n).value == self.rounds
        assert collectives.wire_bytes("all-reduce", algorithm, q(chunks, "B"), n).value == pytest.approx(max(self.sent))


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_ring_played_out(n):
    """A ring that is played out chunk by chunk sums everything in the formula's rounds and bytes."""
    play = Exchange(n, n)
    for r in range(n - 1):
        play.round([(d, (d + 1) % n, (d - r) % n) for d in range(n)], add=True)
    for r in range(n - 1):
        play.round([(d, (d + 1) % n, (d + 1 - r) % n) for d in range(n)], add=False)
    play.check("ring", n)


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_one_shot_and_two_shot_played_out(n):
    """Everyone to everyone in one round, or owners of chunks in two, move the bytes of the formulas."""
    play = Exchange(n, n)
    play.round([(d, to, c) for d, to, c in itertools.product(range(n), range(n), range(n)) if d != to], add=True)
    play.check("one-shot", n)
    play = Exchange(n, n)
    play.round([(d, c, c) for d, c in itertools.product(range(n), range(n)) if d != c], add=True)
    play.round([(c, to, c) for c, to in itertools.product(range(n), range(n)) if c != to], add=False)
    play.check("two-shot", n)


@pytest.mark.parametrize("n", [2, 4, 8, 16])
def test_tree_played_out(n):
    """A binary tree up and down takes 2 log2 n rounds, and its root's child hands on the whole message in each of them at most."""
    play, span = Exchange(n, 1), 1
    while span < n:
        play.round([(d + span, d, 0) for d in range(0, n, 2 * span)], add=True)
        span *= 2
    while span > 1:
        span //= 2
        play.round([(d, d + span, 0) for d in range(0, n, 2 * span)], add=False)
    assert all(row == play.sums for row in play.data)
    assert collectives.steps("all-reduce", "tree", n).value == play.rounds
    assert max(play.sent) <= collectives.wire_bytes("all-reduce", "tree", q(1, "B"), n).value == play.rounds


def test_a_single_device_waits_for_nobody():
    """One device needs no exchange, whatever its start costs."""
    assert collectives.time("all-reduce", "ring", q(1, "GB"), 1, q(1, "GB/s"), q(1, "us"), q(5, "us")).value == 0


def test_unknown_collectives_are_refused():
    """A collective or an algorithm that is not defined is refused, naming those that are."""
    with pytest.raises(ValueError, match="all-reduce"):
        collectives.steps("gather", "ring", 4)
    with pytest.raises(ValueError, match="known: ring"):
        collectives.steps("all-gather", "tree", 4)


def test_the_ring_passes_the_double_tree_at_the_crossover():
    """At the crossover message ring and double tree take the same time; below it the tree is faster."""
    n, beta, alpha = 16, q(400, "GB/s"), q(5, "us")
    message = collectives.ring_tree_crossover(q(n), beta, alpha)

    def both(x):
        return [collectives.time("all-reduce", a, x, n, beta, alpha).value for a in ("ring", "double-tree")]

    assert both(message)[0] == pytest.approx(both(message)[1])
    assert both(message / 2)[0] > both(message / 2)[1]


def test_half_message_is_half_speed():
    """At the half message the wire takes as long as the waiting, in every algorithm."""
    for algorithm in collectives.ALGORITHMS["all-reduce"]:
        half = collectives.half_message("all-reduce", algorithm, 8, q(450, "GB/s"), q(0.6, "us"), q(6.6, "us"))
        wire = collectives.wire_bytes("all-reduce", algorithm, half, 8) / q(450, "GB/s")
        assert wire.value == pytest.approx(collectives.waiting("all-reduce", algorithm, 8, q(0.6, "us"), q(6.6, "us")).value)


@pytest.mark.parametrize(("nodes", "experts", "picks", "limit"), [(4, 8, 2, None), (3, 9, 4, None), (4, 8, 3, 2)])
def test_nodes_touched_by_listing(nodes, experts, picks, limit):
    """Listing every choice of experts gives the mean number of nodes they are on."""
    reached = nodes if limit is None else limit
    per = experts // nodes
    counts = [len({e // per for e in chosen}) for chosen in itertools.combinations(range(per * reached), picks)]
    assert collectives.nodes_touched(nodes, experts, picks, limit).value == pytest.approx(sum(counts) / len(counts))


def test_experts_out_of_reach_never_route():
    """A node limit that leaves fewer experts than picks has no routing."""
    assert collectives.nodes_touched(64, 256, 8, 1).value is None


def test_gradient_schedules():
    """Pipelined stages take the longer one, summed stages both, and another schedule is refused."""
    inside, across = collectives.gradient_stages(q(16, "GB"), 8, 16, q(360, "GB/s"), q(40, "GB/s"))
    assert collectives.joined(inside, across).value == max(inside.value, across.value)
    assert collectives.joined(inside, across, "summed").value == pytest.approx(inside.value + across.value)
    with pytest.raises(ValueError, match="pipelined"):
        collectives.joined(inside, across, "eager")


def test_a_group_inside_one_domain_sends_nothing_across():
    """One node has no stage across nodes, and nodes of one device have none inside."""
    inside, across = collectives.gradient_stages(q(16, "GB"), 64, 1, q(900, "GB/s"), q(50, "GB/s"))
    assert across.value == 0 and inside.value > 0
    inside, across = collectives.gradient_stages(q(16, "GB"), 1, 8, q(900, "GB/s"), q(50, "GB/s"))
    assert inside.value == 0 and across.value > 0
