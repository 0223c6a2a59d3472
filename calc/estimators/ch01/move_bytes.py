"""How long a message takes through a link when it is cut into pieces."""

from calc.catalog import LINKS
from calc.estimator import Pick, Slider, estimator
from calc.parts import transfer
from calc.quantity import term


@estimator(
    "move-bytes", chapter=1, title="Bytes through a link",
    question="How long to move these bytes through this link, if I cut them into pieces?",
    excludes="pieces in flight together (pipelining hides latency), protocol headers, pinning of memory, contention",
    sweep="pieces", draws=("transfer", "latency_total", "total"), rising=("message", "pieces", "latency"), falling=("link_efficiency",),
)
def move_bytes(
    message=Slider(1, 1e-6, 1000, unit="GB", log=True, symbol="M", help="bytes to move in all"),
    link=Pick(LINKS, "pcie5-x16", needs=("bandwidth",), help="one direction of it"),
    pieces=Slider(1000, 1, 1000000, unit="pieces", log=True, symbol="n", help="pieces sent one after the other"),
    latency=Slider(10, 0.1, 20000, unit="us", log=True, symbol="α", help="time that each piece waits before its first byte; an assumption"),
    link_efficiency=Slider(1, 0.3, 1, symbol="e", help="share of the link's rate that bytes get", whole=False),
):
    bytes_time = term("transfer", transfer.transfer_time(message, link.bandwidth, link_efficiency), "t_β", "ms", "Transfer",
                      "The bytes themselves.")
    waiting = term("latency_total", pieces * latency, "t_α", "ms", "Latency in all", "Each piece waits once, and the next waits for it.")
    total = term("total", bytes_time + waiting, "t", "ms", "Time in all", "One after the other, so the two add up.")
    term("effective_bandwidth", message / total, "β_eff", "GB/s", "Effective bandwidth", "What the message as a whole sees.")
    term("half_speed_piece", transfer.half_speed_piece(latency, link.bandwidth, link_efficiency), "m_½", "KiB", "Piece at half speed",
         "A piece of this size spends as long waiting as moving.")
    term("pieces_at_equality", bytes_time / latency, "n_eq", "", "Pieces where latency passes transfer",
         "Cut finer than this and waiting is the larger half.", label="pieces")
    return total
