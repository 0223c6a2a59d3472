"""Roofline: the time that arithmetic and memory traffic take on one accelerator, at given efficiencies."""

from calc.catalog import MissingValue
from calc.quantity import q, smallest


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


def ridge(accelerator, precision="bf16"):
    """FLOP per byte above which arithmetic is the limit, Π/β (S. Williams, A. Waterman, D. Patterson, CACM 52(4) (2009) 65)."""
    return peak(accelerator, precision) / accelerator.memory_bandwidth


def attainable(intensity, compute_roof, memory_bandwidth):
    """FLOP/s that work of `intensity` FLOP per byte can reach: min(Π, β·I)."""
    return smallest(memory_bandwidth * intensity, compute_roof)


def matmul_flop(rows, inner, columns):
    """FLOP of an M × K by K × N matrix product, 2·M·K·N."""
    return q(2, "FLOP") * rows * inner * columns


def matmul_bytes(rows, inner, columns, in_width, out_width=None):
    """Bytes of a matrix product that reads each operand once and writes the result once: s·(M·K + K·N) + s_out·M·N."""
    out = q(2, "B") if out_width is None else out_width
    return in_width * (rows * inner + inner * columns) + out * (q(rows) * columns)


def in_flight(bandwidth, latency):
    """Bytes that must be on their way to use a bandwidth at a latency: β·ℓ (Little's law)."""
    return bandwidth * latency


def reached_bandwidth(bandwidth, bytes_in_flight, latency):
    """B/s with so many bytes on their way: min(β, V/ℓ)."""
    return smallest(bandwidth, bytes_in_flight / latency)


def critical_rows(ridge, width):
    """Rows that must share a read of weights of `width` bytes before arithmetic is the limit: I*·w/2, activations left out."""
    return ridge * width / q(2, "FLOP")


def peak_of_parts(units, multiply_adds, clock):
    """FLOP/s of u units with so many multiply-adds per cycle at a clock: 2·u·f·ν."""
    return q(2, "FLOP") * units * multiply_adds * clock
