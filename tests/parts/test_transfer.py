"""Transfer: pipelines played out block by block, and the outlines' cases."""

import pytest

from calc.parts import transfer
from calc.quantity import ceil, q
from tests.parts.outline import agree, parametrize


def move_bytes(message, link, pieces, latency, link_efficiency):
    """The terms of chapter 1's pieces."""
    return {"total": transfer.message_time(message, latency, link.bandwidth * link_efficiency, pieces),
            "transfer": transfer.transfer_time(message, link.bandwidth, link_efficiency),
            "half_speed_piece": transfer.half_speed_piece(latency, link.bandwidth, link_efficiency)}


def copy_compute_overlap(accelerator, tile_side, inner, buffers, sharing, latency, tile_inner):
    """The terms of chapter 5's buffers."""
    from calc.parts import roofline

    units, blocks = accelerator.compute_units, ceil(inner / tile_inner)
    copy = roofline.matmul_bytes(tile_side, tile_inner, tile_side, q(2, "B"), q(0, "B")) / (accelerator.memory_bandwidth * sharing / units)
    compute = roofline.matmul_flop(tile_side, tile_inner, tile_side) / (roofline.peak(accelerator) / units)
    return {"copy": copy, "compute": compute, "serial": blocks * (copy + latency + compute),
            "time": transfer.buffered(blocks, copy, compute, buffers, latency), "slots_needed": transfer.buffers_to_hide(copy, compute, latency)}


def kv_transfer(model, prompt, link, kv_bits, link_efficiency, **_):
    """The wire of chapter 9's handed-over state."""
    from calc.parts import state

    held = state.held(model, prompt, kv_bits)
    return {"state_bytes": held, "wire_time": transfer.transfer_time(held, link.bandwidth, link_efficiency)}


def upload_crossover(upload_size, uplink, round_trip, **_):
    """The raw file of chapter 12."""
    return {"raw": transfer.message_time(upload_size, round_trip, uplink)}


def agent_rounds(upload_size, uplink, round_trip, cloud_model_time, local_model_time, state_size, restore_time, tool_time, **_):
    """The moved session of chapter 12."""
    from calc.parts import speedup

    moved = transfer.message_time(state_size, restore_time, uplink)
    cloud = tool_time + transfer.message_time(upload_size, round_trip, uplink) + cloud_model_time
    local = tool_time + local_model_time
    found = {"move_cost": moved, "cloud_round": cloud, "local_round": local, "upload": transfer.transfer_time(upload_size, uplink)}
    return found | {"rounds_to_repay": ceil(speedup.payback(moved, local - cloud))}


@parametrize((1, "move-bytes", move_bytes), (5, "copy-compute-overlap", copy_compute_overlap), (9, "kv-transfer", kv_transfer),
             (12, "upload-crossover", upload_crossover), (12, "agent-rounds-placement", agent_rounds))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


@pytest.mark.parametrize(("load", "compute"), [(2, 1), (1, 2), (3, 3)])
def test_two_buffers_are_double_buffering(load, compute):
    """With two buffers and no latency the block-by-block pipeline has the closed form."""
    played = transfer.buffered(8, q(load, "us"), q(compute, "us"), 2)
    assert played.to("us") == pytest.approx(transfer.double_buffered(8, q(load, "us"), q(compute, "us")).to("us"))


def test_one_buffer_is_serial():
    """With one buffer every block waits for the one before."""
    assert transfer.buffered(4, q(64), q(128), 1, q(128)).value == 4 * (64 + 128 + 128)


def test_a_slot_timetable_by_hand():
    """Four blocks of 64 to load, ready 128 later, 128 to work on: 1280, 768, 704 and 704 ticks with one to four buffers."""
    ticks = [transfer.buffered(4, q(64), q(128), slots, q(128)).value for slots in (1, 2, 3, 4)]
    assert ticks == [1280, 768, 704, 704]


def test_a_state_that_outgrows_its_link_never_arrives():
    """A state that grows as fast as it is sent is never copied."""
    assert transfer.growing_copy(q(41, "GB"), q(1, "GB/s"), q(1, "GB/s")).value is None
    assert transfer.growing_copy(q(41, "GB"), q(1, "GB/s"), q(2, "GB/s")).to("s") == pytest.approx(41)


def test_pieces_wait_for_one_another():
    """A thousand pieces wait a thousand times, one piece once."""
    assert transfer.message_time(q(1, "GB"), q(10, "us"), q(1, "GB/s"), 1000).to("s") == pytest.approx(1.01)
    assert transfer.message_time(q(250_000, "B"), q(5, "us"), q(50, "GB/s")).to("us") == pytest.approx(10)
