"""Training: schedules played out operation by operation, and the outlines' cases."""

import pytest

from calc.catalog import MODELS, MissingValue
from calc.parts import roofline, training, weights
from calc.quantity import q, total
from tests.parts.outline import agree, parametrize


def training_memory(model, data_parallel, zero_stage, micro_batch_tokens, grad_bits, recompute, tensor_parallel, accelerator, logit_bits):
    """The terms of chapter 10's memory."""
    count = weights.total_weights(model)
    parts = {"parameters": training.parameter_bytes(count, zero_stage, data_parallel),
             "gradients": training.gradient_bytes(count, grad_bits, zero_stage, data_parallel),
             "optimizer": training.optimizer_bytes(count, zero_stage, data_parallel),
             "activations": training.activations(training.activation_per_token(model), model.layers, micro_batch_tokens, recompute,
                                                 training.layer_input(model.hidden)),
             "logits": training.logit_bytes(model.vocab, micro_batch_tokens, logit_bits)}
    assert tensor_parallel.value == 1
    return parts | {"total": total(list(parts.values()))}


def activation_recompute(model, sequence, micro_batch, recompute, tensor_parallel, micro_batches_in_flight, fused_attention, accelerator,
                         compute_efficiency):
    """The terms of chapter 10's recomputation."""
    tokens = sequence * micro_batch
    per = training.activation_per_token(model)
    core = training.score_bytes_per_token(model.attention.heads, sequence)
    all_of_it = per if fused_attention else per + core
    if recompute == "full":
        kept = training.activations(all_of_it, model.layers, tokens, "full", training.layer_input(model.hidden))
    else:
        kept = training.activations(per if recompute == "core" else all_of_it, model.layers, tokens)
    without = training.activations(all_of_it, model.layers, tokens)
    return {"bytes_per_token_layer": all_of_it, "without": without, "kept": kept, "saved": without - kept}


def pipeline_schedule(pipeline_parallel, micro_batches, forward_time, backward_time, schedule, virtual_stages, hop_time, micro_batch_memory):
    """The terms of chapter 10's pipeline."""
    least = training.least_micro_batches(schedule, pipeline_parallel).value
    enough = micro_batches.value >= least and (schedule != "interleaved" or micro_batches.value % least == 0)
    ideal = micro_batches * (forward_time + backward_time)
    found = {"ideal": ideal, "weight_copies": training.weight_copies(schedule)}
    if enough:
        bubble = training.bubble(schedule, pipeline_parallel, forward_time, backward_time, virtual_stages)
        held = training.held(schedule, pipeline_parallel, micro_batches, virtual_stages)
        found |= {"bubble": bubble, "micro_batches_held": held, "activation_memory": held * micro_batch_memory}
        if hop_time.value == 0:
            found |= {"step_time": ideal + bubble, "busy_share": training.busy_share(micro_batches, forward_time, backward_time, bubble)}
    return found


def training_run(model, training_tokens, sequence, accelerator, accelerators, mfu, goodput, price_per_hour):
    """The terms of chapter 10's run."""
    work = training.flops_per_token(model, sequence) * training_tokens
    time = training.run_time(work, accelerators, roofline.peak(accelerator), mfu, goodput)
    return {"total_flops": work, "days": time, "device_hours": time * accelerators, "cost": price_per_hour * time * accelerators,
            "tokens_per_second": training_tokens / (time * goodput), "matmul_flops": q(6, "FLOP") * weights.active(model) * training_tokens}


def training_flops(model, accelerator, training_tokens, sequence, mfu, attention_count):
    """The terms of chapter 3's training run."""
    if attention_count != "causal":
        return {"matrix_flops": q(6, "FLOP") * weights.active(model) * training_tokens}
    one = training.flops_per_token(model, sequence)
    return {"flops_per_token": one, "total_flops": one * training_tokens,
            "gpu_hours": training.run_time(one * training_tokens, 1, roofline.peak(accelerator), mfu)}


def training_plan(model, accelerators, tensor_parallel, pipeline_parallel, global_batch, sequence, zero_stage, grad_bits, recompute,
                  virtual_stages, compute_efficiency, accelerator, **_):
    """The terms of chapter 10's plan that need no network."""
    from calc.quantity import floor

    copies = floor(accelerators / (tensor_parallel * pipeline_parallel))
    if copies.value < 1:
        return {}
    m = training.micro_batches(global_batch, copies)
    if virtual_stages.value > 1 and m.value % pipeline_parallel.value:
        return {}
    shard = weights.total_weights(model) / (tensor_parallel * pipeline_parallel)
    return {"data_parallel": copies, "micro_batches": m, "state": training.state_bytes(shard, grad_bits, zero_stage, copies)}


@parametrize((10, "training-memory", training_memory), (10, "activation-recompute", activation_recompute),
             (10, "pipeline-schedule", pipeline_schedule), (10, "training-run", training_run), (3, "training-flops", training_flops),
             (10, "training-plan", training_plan))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


def play(stages, micro_batches, forward, backward, order):
    """(seconds, most micro-batches held at stage 0) of a pipeline in which stage s works through `order(s)` as soon as it can."""
    done, clock, lists, held, most = {}, [0.0] * stages, [list(order(s)) for s in range(stages)], 0, 0
    while any(lists):
        moved = False
        for s, todo in enumerate(lists):
            if not todo:
                continue
            kind, i = todo[0]
            before = ("F", s - 1, i) if kind == "F" and s else ("B", s + 1, i) if kind == "B" and s + 1 < stages else None
            if kind == "B" and before is None:
                before = ("F", s, i)
            if before is not None and before not in done:
                continue
            clock[s] = max(clock[s], done.get(before, 0.0)) + (forward if kind == "F" else backward)
            done[(kind, s, i)] = clock[s]
            if s == 0:
                held += 1 if kind == "F" else -1
                most = max(most, held)
            todo.pop(0)
            moved = True
        assert moved, "the schedule waits for itself"
    return max(clock), most


def gpipe(micro_batches):
    """All forward passes, then all backward passes."""
    return lambda s: [("F", i) for i in range(micro_batches)] + [("B", i) for i in range(micro_batches)]


def one_forward_one_backward(stages, micro_batches):
    """As many forward passes as stages are left, then a backward pass after each forward pass."""
    def order(s):
        first = min(micro_batches, stages - s)
        turns = [("F", i) for i in range(first)]
        for i in range(micro_batches):
            turns.append(("B", i))
            if first + i < micro_batches:
                turns.append(("F", first + i))
        return turns

    return order


@pytest.mark.parametrize(("stages", "m"), [(2, 3), (4, 8), (8, 16), (8, 4)])
def test_schedules_played_out(stages, m):
    """GPipe and 1F1B end when the formula says, and hold as many micro-batches as it says."""
    for name, order in (("gpipe", gpipe(m)), ("1f1b", one_forward_one_backward(stages, m))):
        end, held = play(stages, m, 10.0, 20.0, order)
        assert end == m * 30 + training.bubble(name, stages, q(10), q(20)).value
        assert held == training.held(name, stages, m).value


def test_published_bubbles():
    """Zero-bubble and DualPipe schedules give the values of their papers' tables for eight stages."""
    idle = {name: training.bubble(name, 8, q(10), q(20), 4).value for name in training.SCHEDULES}
    assert idle == {"gpipe": 210, "1f1b": 210, "interleaved": 52.5, "zb1p": 70, "zb2p": 0, "dualpipe": 60}
    with pytest.raises(ValueError, match="zb1p"):
        training.bubble("zb3", 8, q(10), q(20))


def test_sharding_keeps_the_whole():
    """All replicas together keep every byte of what a stage shards once, and copies of what it does not."""
    whole = training.state_bytes(1e9, 16).to("GB")
    assert whole == pytest.approx(16)
    for stage, copied in ((1, 4), (2, 2), (3, 0)):
        assert 8 * training.state_bytes(1e9, 16, stage, 8).to("GB") == pytest.approx((16 - copied) + 8 * copied)
    assert training.state_bytes(1e9, 32).to("GB") == pytest.approx(18)


def test_the_ring_moves_what_the_stages_send():
    """Sharding the optimizer or the gradients moves no more than a plain all-reduce in one micro-batch; sharding weights half as much again."""
    sent = {stage: training.bytes_sent_per_weight(stage, 16).to("B") for stage in (0, 1, 2, 3)}
    assert sent == {0: 4, 1: 4, 2: 4, 3: 6}
    assert training.gradient_passes(3, 4).value == 12 and training.gradient_passes(1, 4).value == 2


def test_activations_of_other_models_are_refused():
    """A model whose layers are not dense and gated is refused, naming one that is."""
    with pytest.raises(MissingValue, match="llama-3.1-8b"):
        training.activation_per_token(MODELS["mixtral-8x7b"])
    with pytest.raises(ValueError, match="full"):
        training.activations(q(1, "B"), 2, 3, "selective")


def test_only_what_is_longer_than_the_cover_shows():
    """Traffic shorter than what hides it is not seen, but for the last bucket."""
    assert training.exposed(q(5, "ms"), q(7, "ms")).value == 0
    assert training.exposed(q(5, "ms"), q(7, "ms"), q(1, "ms")).to("ms") == 1
    assert training.exposed(q(9, "ms"), q(7, "ms"), q(1, "ms")).to("ms") == pytest.approx(2)


def test_utilization_undoes_the_run_time():
    """A run timed at a utilisation has that utilisation."""
    time = training.run_time(q(6e24, "FLOP"), 1024, q(989, "TFLOP/s"), 0.4)
    assert training.utilization(q(6e24, "FLOP"), time, 1024, q(989, "TFLOP/s")).value == pytest.approx(0.4)
