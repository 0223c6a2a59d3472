"""Energy: the outlines' cases and what must hold of any power cap."""

import pytest

from calc.catalog import ACCELERATORS
from calc.parts import energy, roofline
from calc.quantity import largest, q
from tests.parts.outline import agree, parametrize


def energy_per_step(model, accelerator, batch, context, energy_per_byte, energy_per_flop, idle_power, weight_bits, kv_bits):
    """The terms of chapter 4's step that rest on bytes, arithmetic and time."""
    from calc.parts import flops, state, weights

    read = weights.read(model, batch, weight_bits)
    kv = batch * state.read(model, context, kv_bits)
    work = batch * (flops.linear(weights.active(model), 1) + flops.attention_step(model, context + 1))
    time = largest(roofline.memory_time(read + kv, accelerator), roofline.compute_time(work, accelerator))
    parts = {"weights": energy.moving(read, energy_per_byte), "kv": energy.moving(kv, energy_per_byte),
             "arithmetic": energy.arithmetic(work, energy_per_flop), "standing": energy.standing(idle_power, time)}
    step = sum(parts.values())
    return parts | {"step_energy": step, "step_time": time, "energy_per_token": step / batch, "mean_power": step / time,
                    "movement_share": (parts["weights"] + parts["kv"]) / step}


def power_cap(accelerator, precision, energy_per_flop, bandwidth_use, idle_power, voltage, energy_per_byte):
    """The terms of chapter 4's power cap."""
    memory = energy.moving(accelerator.memory_bandwidth * bandwidth_use, energy_per_byte)
    left = energy.left_for_arithmetic(accelerator.tdp, memory, idle_power)
    peak = roofline.peak(accelerator, precision)
    budget = energy.budget_per_flop(left, peak)
    found = {"memory_power": memory, "left_for_arithmetic": left, "wanted_at_peak_clock": energy.arithmetic(peak, energy_per_flop),
             "energy_budget": budget}
    if left.value:
        share = energy.clock_share(budget, energy_per_flop, voltage)
        found |= {"clock_ratio": share, "sustained": peak * share}
        found["pj_per_flop_after"] = energy_per_flop * (share**2 if voltage == "scales" else q(1))
    return found


def scale_up_power(accelerator, module_power, medium, optical_share, **_):
    """The energy per bit of chapter 6's wires."""
    if medium != "optics" or optical_share.value != 1:
        return {}
    per_bit = module_power / (q(800, "Gbit/s") / q(1, "bit"))
    return {"wire_card": energy.wire_power(2 * accelerator.scale_up.per_direction, per_bit)}


def energy_per_token(accelerator, power_share, pue, electricity_price, batch, model, context, weight_bits, kv_bits):
    """The terms of chapter 1's token."""
    from calc.parts import decode

    time = decode.step_time(model, accelerator, batch, context, weight_bits, kv_bits)
    step = energy.power_drawn(accelerator, power_share) * time
    one = energy.facility(step, pue) / batch
    return {"step_energy": step, "energy": one, "per_million": energy.per_million(one)}


@parametrize((4, "energy-per-step", energy_per_step), (4, "power-cap-clock", power_cap), (6, "scale-up-power", scale_up_power),
             (1, "energy-per-token", energy_per_token))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


def test_a_cap_is_never_passed():
    """At the sustained rate and the energy that remains per FLOP, arithmetic takes no more than the power that was left for it."""
    peak, left = q(989, "TFLOP/s"), q(500, "W")
    for per_flop in (q(x, "pJ/FLOP") for x in (0.2, 0.6, 0.8, 2.0)):
        for voltage, square in (("scales", 2), ("fixed", 0)):
            share = energy.clock_share(energy.budget_per_flop(left, peak), per_flop, voltage)
            assert (peak * share * per_flop * share**square).to("W") <= 500 * (1 + 1e-9)
    with pytest.raises(ValueError, match="fixed"):
        energy.clock_share(q(1, "pJ/FLOP"), q(1, "pJ/FLOP"), "free")


def test_power_that_memory_takes_alone():
    """A cap below what memory and standing power take leaves nothing for arithmetic."""
    assert energy.left_for_arithmetic(ACCELERATORS["l4"].tdp, q(10, "W"), q(80, "W")).value == 0
