"""How much faster the whole gets when one stage does."""

from calc.estimator import Slider, estimator
from calc.parts import speedup
from calc.quantity import quotient, term, total


@estimator(
    "amdahl", chapter=1, title="Speeding up one stage",
    question="If one stage gets faster, how much faster is the whole?",
    excludes="overlap between stages (then the slower one counts, not the sum), and more work that arrives because it became cheaper",
    sweep="share", draws=("overall_speedup", "ceiling"), rising=("local_speedup",), falling=("overhead",),
)
def amdahl(
    total_time=Slider(10, 0.001, 100000, unit="s", log=True, symbol="T", help="time of the whole task today", whole=False),
    share=Slider(0.3, 0, 1, symbol="f", help="share of it that gets faster"),
    local_speedup=Slider(5, 1, 1000, unit="×", log=True, symbol="s", help="how many times faster that share gets", whole=False, ladder="125"),
    overhead=Slider(0.5, 0, 60, unit="s", symbol="o", help="time that the change adds: coordination, copies, start-up"),
):
    untouched = term("untouched", (1 - share) * total_time, "t_0", "s", "Untouched", "The part that nobody is speeding up.")
    accelerated = term("accelerated", share * total_time / local_speedup, "t_f", "s", "Accelerated", "The part that got faster.")
    added = term("overhead", overhead, "o", "s", "Added overhead", "What textbooks leave out and systems add.")
    after = term("new_total", total([untouched, accelerated, added]), "T′", "s", "New total", "One after the other.")
    overall = term("overall_speedup", total_time / after, "S", "×", "Overall speed-up", "Below 1 it is a slowdown.")
    term("ceiling", quotient(1, 1 - share), "S_max", "×", "Ceiling", "No local speed-up gets past it.")
    term("break_even_overhead", speedup.break_even_overhead(total_time, share, local_speedup), "o_eq", "s", "Break-even overhead",
         "More overhead than this and the acceleration is a slowdown.")
    return overall
