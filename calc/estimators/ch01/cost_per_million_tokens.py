"""What a million output tokens cost on an accelerator that is paid by the hour."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import cost, decode, state, weights
from calc.quantity import limit, q, term


@estimator(
    "cost-per-million-tokens", chapter=1, title="A million tokens in money",
    question="What does a million output tokens cost me?",
    excludes="prefill, spare capacity, host, network, staff, and the gap between the bound and a real engine (often 1.2-2.5 times)",
    sweep="batch", draws=("cost", "cost_floor"), rising=("context", "price_per_hour"), falling=("busy_share", "batch"), rates=("tokens_per_paid_hour",),
)
def cost_per_million_tokens(
    model=Pick(MODELS, "llama-3.1-8b", where=weights.is_dense, why="is no dense decoder with full attention"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory", "memory_bandwidth", "peak.bf16|peak.fp16")),
    batch=Slider(32, 1, 1024, unit="sequences", log=True, symbol="b", help="sequences decoded together"),
    context=Slider(2048, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens that each sequence holds"),
    price_per_hour=Slider(2.95, 0.05, 20, unit="$/h", log=True, symbol="p_h", help="price of one accelerator; 2.95 was the median of 37 providers for an H100 on 2026-05-20"),
    busy_share=Slider(0.5, 0.01, 1, symbol="η", help="share of the paid time that is used; an assumption"),
    weight_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per weight", more=True),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value", more=True),
):
    memory = term("memory", weights.held(model, weight_bits) + batch * state.held(model, context, kv_bits), "M", "GB", "Memory held",
                  "Weights and all state.")
    fits = limit("Fits", memory, accelerator.memory)
    time = term("step_time", decode.step_time(model, accelerator, batch, context, weight_bits, kv_bits), "t", "ms", "Step time",
                "One token for each sequence of the batch.")
    rate = term("rate", batch / time, "r", "1/s", "Rate", "While it is busy.", label="tokens/s")
    term("tokens_per_paid_hour", rate * busy_share * q(1, "h"), "", "", "Tokens per paid hour", "Idle hours are paid as well.", label="tokens")
    answer = term("cost", cost.per_million(price_per_hour, time / batch, busy_share), "p", "$", "Cost",
                  "The price of waiting, divided by how many share the wait.", label="per million tokens")
    alone = decode.step_time(model, accelerator, q(1), context, weight_bits, kv_bits)
    term("cost_if_alone", cost.per_million(price_per_hour, alone, busy_share), "p₁", "$", "Cost if alone", "The same with a batch of one.",
         label="per million tokens")
    least = decode.time_per_sequence(model, accelerator, context, kv_bits)
    term("cost_floor", cost.per_million(price_per_hour, least, busy_share), "p_∞", "$", "Floor",
         "What stays however large the batch: each sequence's own work.", label="per million tokens")
    term("fits", fits, name="It fits")
    return answer
