"""What an agent's loop costs when every turn sends everything again, with and without a prefix cache."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import layers, requests, roofline, state
from calc.parts.requests import Conversation
from calc.quantity import let, term, total


@estimator(
    "agent-prefix-growth", chapter=3, title="The same tokens again and again",
    question="What does an agent loop cost with and without a prefix cache?",
    excludes="decoding (the same in both), eviction and reloading, rounding to cache blocks, an edit inside the prefix",
    sweep="turns", draws=("flops_without", "flops_with"), rising=("turns",), falling=(),
)
def agent_prefix_growth(
    model=Pick(MODELS, "qwen3-8b", where=layers.is_decoder, why="is no decoder on its own"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("peak.bf16|peak.fp16",)),
    prompt=Slider(8192, 1, 131072, unit="tokens", log=True, symbol="P", help="tokens of the first prompt: instructions, tools, task"),
    append=Slider(1024, 1, 32768, unit="tokens", log=True, symbol="a", help="tokens that a tool or the user adds per turn"),
    output=Slider(256, 1, 8192, unit="tokens", log=True, symbol="G", help="tokens that the model writes per turn"),
    turns=Slider(32, 1, 512, log=True, symbol="T", help="turns of the loop"),
    compute_efficiency=Slider(1, 0.1, 1, symbol="e_c", help="share of the arithmetic peak that is reached", more=True, whole=False),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value", more=True),
):
    talk = Conversation(model, prompt, append, output, turns)
    shown = term("tokens_shown", talk.shown(), "N_shown", "", "Tokens shown", "Grows with the square of the turns.", label="tokens")
    fresh = term("tokens_fresh", talk.fresh(), "N_new", "", "New tokens", "Grows with the turns.", label="tokens")
    term("hit_ratio", 1 - fresh / shown, "", "", "Share that was there before", "What a perfect cache finds again.")
    without = term("flops_without", talk.linear(shown) + talk.attention_without(), "F_without", "TFLOP", "Work without a cache",
                   "Every turn computes its whole prompt.")
    attention = let("F_att", talk.attention_with(), "attention of the new tokens", "TFLOP")
    cached = term("flops_with", total([talk.linear(fresh), attention]), "F_with", "TFLOP", "Work with a cache",
                  "Only new tokens, but each still attends to the whole prefix.")
    ratio = term("work_ratio", without / cached, "", "×", "Work saved", "Without over with.")

    def seconds(work):
        return roofline.compute_time(work, accelerator, "bf16", compute_efficiency)

    term("seconds_without", seconds(without), "t_without", "s", "Time without", "Of one accelerator, for all prompts of the loop.")
    term("seconds_with", seconds(cached), "t_with", "s", "Time with", "The same, when the prefix is kept.")
    term("attention_share_with", attention / cached, "", "", "Attention's share with a cache", "To cached tokens and among the new ones; the rest is the matrices.")
    end = term("final_context", talk.last_prompt() + output, "c_T", "", "Context at the end", "All that was said.", label="tokens")
    term("state_kept", state.held(model, end, kv_bits), "S", "GB", "State to keep", "For this one agent, between turns too.")
    last = let("I_T", talk.last_prompt(), "last prompt", "tokens")
    again = requests.prefill(model, append, last - append) if turns.value > 1 else requests.prefill(model, prompt)
    term("last_turn_without", seconds(requests.prefill(model, last)), "", "ms", "Last turn without", "The wait for its first token, at least.")
    term("last_turn_with", seconds(again), "", "ms", "Last turn with", "The same, when only the last addition is new.")
    return ratio
