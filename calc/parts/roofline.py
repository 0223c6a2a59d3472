"""Roofline: the time that arithmetic and memory traffic take on one accelerator, at given efficiencies."""

from calc.catalog import MissingValue
from calc.quantity import q


def peak(accelerator, precision="bf16"):
    """Dense peak of the matrix unit in FLOP/s; a chip without bf16 uses its dense fp16 peak, whose name then says so."""
    if precision == "bf16" and not accelerator.has("peak.bf16") and accelerator.has("peak.fp16"):
        return accelerator.get("peak.fp16")
    if not accelerator.has("peak"):
        raise MissingValue(f"{accelerator.id}: the catalogue has no peak arithmetic rate")
    return accelerator.get(f"peak.{precision}")


def compute_time(flop, accelerator, precision="bf16", efficiency=1):
    """Seconds that `flop` takes at a share `efficiency` of the peak."""
    rate = peak(accelerator, precision)
    return flop / rate if _one(efficiency) else flop / (efficiency * rate)


def memory_time(bytes_moved, accelerator, efficiency=1):
    """Seconds that `bytes_moved` takes at a share `efficiency` of the memory bandwidth."""
    rate = accelerator.memory_bandwidth
    return bytes_moved / rate if _one(efficiency) else bytes_moved / (efficiency * rate)


def _one(efficiency):
    return not hasattr(efficiency, "op") and q(efficiency).value == 1
