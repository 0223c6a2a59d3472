"""Roofline: the outlines' cases, matrix products counted element by element, and the one permitted fallback."""

import pytest

from calc.catalog import ACCELERATORS, MissingValue
from calc.parts import roofline
from calc.quantity import largest, q
from tests.parts.outline import agree, parametrize


def roofline_case(accelerator, precision, intensity, bandwidth_efficiency, compute_efficiency):
    """The terms of chapter 4's roofline."""
    bandwidth, peak = accelerator.memory_bandwidth * bandwidth_efficiency, roofline.peak(accelerator, precision) * compute_efficiency
    reached = roofline.attainable(intensity, peak, bandwidth)
    found = {"attainable": reached, "memory_roof": bandwidth * intensity, "compute_roof": peak, "share_of_peak": reached / peak}
    if bandwidth_efficiency.value == compute_efficiency.value == 1:
        found["ridge"] = roofline.ridge(accelerator, precision)
        found["ridge_batch"] = roofline.critical_rows(found["ridge"], q(16, "bit"))
    return found


def gemm_intensity(accelerator, precision, rows, inner, columns, tile_rows, bandwidth_efficiency, compute_efficiency):
    """The terms of chapter 4's matrix product."""
    flop = roofline.matmul_flop(rows, inner, columns)
    width = q(1, "B") if precision == "fp8" else q(2, "B")
    moved = roofline.matmul_bytes(rows, inner, columns, width)
    memory = roofline.memory_time(moved, accelerator, bandwidth_efficiency)
    found = {"useful_flops": flop, "bytes": moved, "intensity": flop / moved, "memory_time": memory}
    if rows.value % tile_rows.value == 0:
        compute = roofline.compute_time(flop, accelerator, precision, compute_efficiency)
        found |= {"compute_time": compute, "time": largest(memory, compute)}
    return found


def memory_concurrency(accelerator, latency, load_size, loads_per_unit):
    """The terms of chapter 4's loads in flight."""
    have = accelerator.compute_units * loads_per_unit * load_size
    reached = roofline.reached_bandwidth(accelerator.memory_bandwidth, have, latency)
    return {"bytes_in_flight_needed": roofline.in_flight(accelerator.memory_bandwidth, latency), "bytes_in_flight_have": have,
            "achieved_bandwidth": reached, "share_of_bandwidth": reached / accelerator.memory_bandwidth}


def peak_from_parts(accelerator, fma_per_unit, clock, precision):
    """The terms of chapter 4's parts."""
    whole = roofline.peak_of_parts(accelerator.compute_units, fma_per_unit, clock)
    return {"peak": whole, "datasheet": roofline.peak(accelerator, precision), "ratio_to_datasheet": whole / roofline.peak(accelerator, precision)}


def bytes_in_flight(accelerator, latency, **_):
    """The need of chapter 5's units."""
    return {"need": roofline.in_flight(accelerator.memory_bandwidth, latency) / accelerator.compute_units}


@parametrize((4, "roofline", roofline_case), (4, "gemm-intensity", gemm_intensity), (4, "memory-concurrency", memory_concurrency),
             (5, "bytes-in-flight", bytes_in_flight), (4, "peak-from-parts", peak_from_parts))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


def test_a_matrix_product_counted():
    """Counting the operations and elements of a small product gives the formulas."""
    m, k, n = 3, 5, 7
    work = sum(2 for _ in range(m) for _ in range(n) for _ in range(k))
    assert roofline.matmul_flop(m, k, n).value == work
    assert roofline.matmul_bytes(m, k, n, q(1, "B")).value == m * k + k * n + 2 * m * n


def test_below_the_ridge_memory_decides():
    """At the ridge both roofs meet; left of it the memory decides, right of it the arithmetic."""
    chip = ACCELERATORS["h100-sxm"]
    ridge = roofline.ridge(chip)
    peak, bandwidth = roofline.peak(chip), chip.memory_bandwidth
    assert roofline.attainable(ridge, peak, bandwidth).value == pytest.approx(peak.value)
    assert roofline.attainable(ridge / 2, peak, bandwidth).value == pytest.approx(peak.value / 2)
    assert roofline.attainable(ridge * 2, peak, bandwidth).value == peak.value


def test_a_chip_without_bf16_uses_its_fp16_peak():
    """Only bf16 falls back, only to fp16, and the peak's name says so; any other missing precision is refused."""
    chip = ACCELERATORS["v100-sxm2-32gb"]
    assert roofline.peak(chip).value == chip.get("peak.fp16").value and "FP16" in roofline.peak(chip).name
    with pytest.raises(MissingValue, match="fp8"):
        roofline.peak(chip, "fp8")


def test_too_few_loads_leave_bandwidth_unused():
    """Half the bytes in flight give half the bandwidth, and more than enough give no more than all of it."""
    need = roofline.in_flight(q(3.35, "TB/s"), q(600, "ns"))
    assert roofline.reached_bandwidth(q(3.35, "TB/s"), need / 2, q(600, "ns")).to("TB/s") == pytest.approx(1.675)
    assert roofline.reached_bandwidth(q(3.35, "TB/s"), need * 3, q(600, "ns")).to("TB/s") == pytest.approx(3.35)
