"""How many joules one output token takes, at the machine and at the building's meter."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import decode, energy, weights
from calc.quantity import term


@estimator(
    "energy-per-token", chapter=1, title="A token in joules",
    question="How many joules is one token?",
    excludes="whether it fits (see does-it-fit), host, memory and network power, idle power, cooling beyond the facility factor, the energy to build the machine",
    sweep="batch", draws=("energy",), rising=("context", "power_share", "pue"), falling=("batch",),
)
def energy_per_token(
    model=Pick(MODELS, "llama-3.1-8b", where=weights.is_dense, why="is no dense decoder with full attention"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory_bandwidth", "peak.bf16|peak.fp16", "tdp")),
    batch=Slider(32, 1, 1024, unit="sequences", log=True, symbol="b", help="sequences decoded together"),
    context=Slider(2048, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens that each sequence holds"),
    power_share=Slider(0.7, 0.2, 1, symbol="s", help="share of the rated power that is drawn on average; an assumption"),
    pue=Slider(1.3, 1, 2, symbol="λ", help="power usage effectiveness: the building's power over the machines'; an assumption"),
    weight_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per weight", more=True),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value", more=True),
    electricity_price=Slider(0.1, 0.01, 1, unit="$/kWh", log=True, symbol="p_e", help="price of electricity; an assumption", more=True),
):
    time = term("step_time", decode.step_time(model, accelerator, batch, context, weight_bits, kv_bits), "t", "ms", "Step time",
                "The power is drawn for so long.")
    power = term("power", energy.power_drawn(accelerator, power_share), "P", "W", "Power drawn", "Taken as the same whether it computes or waits.")
    step = term("step_energy", power * time, "E_step", "J", "Energy of a step", "At the machine.")
    building = term("facility_energy", energy.facility(step, pue), "E_fac", "J", "With the building", "Cooling and conversion come on top.")
    one = term("energy", building / batch, "E", "J", "Energy", "Shared by the sequences of the batch.", label="per token")
    million = term("per_million", energy.per_million(one), "E_M", "kWh", "Energy of a million tokens", "As a bill counts it.")
    term("electricity_cost", million * electricity_price, "", "$", "Electricity of a million tokens", "A small part of the rental price.",
         label="per million tokens")
    return one
