"""Where the time of one cycle of reinforcement learning goes."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Pick, Slider, estimator
from calc.parts import layers, requests, roofline, state, weights
from calc.quantity import largest, let, limit, term, total


@estimator(
    "rl-cycle", chapter=3, title="One cycle of reinforcement learning",
    question="Where does the time of one RL update go?",
    excludes="a prompt shared by several answers (here each answer has its own), optimizer state and parallelism (a trainer of this size needs more "
             "than one card), writing gradients and weights, sending the new weights, stragglers, reward tools",
    sweep="output", draws=("decode_time", "scoring_time", "update_time", "cycle_time"),
    rising=("prompt", "output", "rollouts", "kept_rollouts", "scorers"), falling=("compute_efficiency", "bandwidth_efficiency"),
)
def rl_cycle(
    model=Pick(MODELS, "qwen3-8b", where=layers.is_decoder, why="writes no text token by token"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory", "memory_bandwidth", "peak.bf16|peak.fp16")),
    prompt=Slider(1024, 1, 131072, unit="tokens", log=True, symbol="P", help="tokens of each task"),
    output=Slider(2048, 16, 32768, unit="tokens", log=True, symbol="G", help="tokens of each answer"),
    rollouts=Slider(64, 1, 512, unit="sequences", log=True, symbol="n", help="answers that are generated, decoded together"),
    kept_rollouts=Slider(32, 1, 512, unit="sequences", log=True, symbol="k", help="answers that the update learns from"),
    compute_efficiency=Slider(0.4, 0.1, 1, symbol="e_c", help="share of the arithmetic peak that is reached; an assumption", more=True, whole=False),
    bandwidth_efficiency=Slider(0.7, 0.1, 1, symbol="e_b", help="share of the memory bandwidth that is reached; an assumption", more=True, whole=False),
    scorers=Slider(1, 0, 4, symbol="m", help="models of this size that only score (a reference, a reward model)", more=True),
):
    limit("No more answers are kept than generated", kept_rollouts, rollouts, "keeps more answers than it generates", meter=False)
    steps = let("(G − 1)", output - 1, "decode steps of one answer")
    seen = let("(P + G − 1)", prompt + steps, "tokens that are scored", "tokens")
    first = term("rollout_prefill", rollouts * requests.prefill(model, prompt), "F_pre", "TFLOP", "Generating, prompts", "Each answer has its own.")
    rest = term("rollout_decode", rollouts * requests.answer(model, prompt, steps), "F_dec", "TFLOP", "Generating, answers", "One token after another.")
    forward = let("F(P + G − 1)", requests.everywhere(model, seen), "one forward pass, head at every position", "TFLOP")
    score = term("scoring", scorers * rollouts * forward, "F_score", "TFLOP", "Scoring", "A forward pass of every answer.")
    learn = term("update", 3 * kept_rollouts * forward, "F_up", "TFLOP", "Updating", "Three passes over the answers that were kept.")
    work = term("total_flops", total([first, rest, score, learn]), "F", "TFLOP", "Arithmetic in all", "Of one cycle.")
    term("flops_per_kept", work / kept_rollouts, "", "TFLOP", "Arithmetic per kept answer", "What is thrown away is paid for as well.")

    def seconds(flop):
        return roofline.compute_time(flop, accelerator, "bf16", compute_efficiency)

    def passing(flop, passes, tokens):
        reading = passes * roofline.memory_time(weights.read(model, tokens, 16), accelerator, bandwidth_efficiency)
        return largest(let("t_F", seconds(flop), "arithmetic", "s"), let("t_W", reading, "reading the weights", "s"))

    one = term("prefill_time", passing(first, 1, rollouts * prompt), "t_pre", "s", "Prompts, time",
               "All in one pass: arithmetic, unless the tokens are so few that reading the weights takes longer.")
    old = let("S̄", requests.mean_context(prompt, output), "mean context", "tokens")
    read = weights.read(model, rollouts, 16) + rollouts * state.read(model, old, 16)
    moving = let("t_m", roofline.memory_time(read, accelerator, bandwidth_efficiency), "bytes of a step", "ms")
    counting = let("t_c", seconds(rollouts * requests.token(model, old)), "arithmetic of a step", "ms")
    step = term("step_time", largest(moving, counting), "t_step", "ms", "Decode step, time", "The weights once and every answer's own history, or the arithmetic.")
    two = term("decode_time", steps * step, "t_dec", "s", "Answers, time",
               "One step for every token but the first; the answers share the reading of the weights.")
    three = term("scoring_time", passing(score, scorers, rollouts * seen), "t_score", "s", "Scoring, time", "One pass for each model that scores.")
    four = term("update_time", passing(learn, 3, kept_rollouts * seen), "t_up", "s", "Updating, time", "Three passes.")
    cycle = term("cycle_time", total([one, two, three, four]), "t", "s", "Time of one cycle", "One stage after the other.")
    term("decode_share_of_time", two / cycle, "", "", "Answers' share of the time", "What you wait for.")
    term("decode_share_of_flops", rest / work, "", "", "Answers' share of the arithmetic", "What a count of FLOP would tell you.")
    kept = term("kv_peak", rollouts * state.held(model, prompt + output, 16), "S", "GB", "State at its largest", "All answers at full length.")
    limit("Weights and state fit", weights.held(model, 16) + kept, accelerator.memory)
    return cycle
