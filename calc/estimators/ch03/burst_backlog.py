"""What a burst leaves behind: a backlog, a worst delay, and the time until the system is itself again."""

from calc.estimator import Slider, estimator
from calc.parts import queueing
from calc.quantity import largest, let, limit, term


@estimator(
    "burst-backlog", chapter=3, title="After the burst",
    question="How late does a burst make the last request, and how long until the system is itself again?",
    excludes="random clumping inside the burst, requests that give up or come back (retries raise the rate afterwards), limits of memory",
    sweep="burst_time", draws=("worst_delay", "drain_time"),
    rising=("burst_rate", "burst_time"), falling=("capacity",),
)
def burst_backlog(
    burst_rate=Slider(7470, 1, 1000000, unit="1/s", log=True, symbol="A", whole=False, help="work that arrives per second during the burst"),
    after_rate=Slider(4600, 0, 1000000, unit="1/s", symbol="A₂", whole=False, ladder="e12", help="work that arrives per second after the burst"),
    burst_time=Slider(60, 1, 3600, unit="s", log=True, symbol="T", whole=False, help="how long the burst lasts"),
    capacity=Slider(5590, 1, 1000000, unit="1/s", log=True, symbol="μ", whole=False, help="work that is done per second"),
    delay_target=Slider(5, 0.1, 600, unit="s", log=True, symbol="d", whole=False, help="longest delay that is acceptable"),
):
    excess = term("excess_rate", queueing.excess(burst_rate, capacity), "e", "1/s", "Excess", "What arrives and is not done.", label="steps/s")
    backlog = term("backlog", excess * burst_time, "Q", "", "Backlog", "What lies there at the end of the burst.", label="steps")
    delay = term("worst_delay", backlog / capacity, "D", "s", "Worst delay", "The last to arrive has all of it ahead.")
    limit("The backlog drains", after_rate, capacity, "never drains", strict=True)
    drain = term("drain_time", queueing.drain_time(backlog, capacity, after_rate), "t_drain", "s", "Time to drain",
                 "Ordinary traffic goes on; only the difference works it off.")
    term("trouble_seconds", burst_time + drain, "", "s", "Trouble in all", "From the first delayed request to the last.")
    spread = let("A·T/(T + d)", queueing.capacity_for_delay(burst_rate, burst_time, delay_target), "burst spread over its time and the delay", "1/s")
    enough = term("capacity_for_target", largest(spread, after_rate), "μ_d", "1/s", "Capacity for the target",
                  "The burst's work, spread over the burst and the delay that is allowed; never less than ordinary traffic, which would pile up.",
                  label="steps/s")
    term("capacity_ratio", enough / capacity, "", "×", "Capacity needed over capacity", "Below one: the target is met already.")
    return delay
