"""How many experts of a layer a batch of tokens touches, when some experts are more popular than others."""

from calc.estimator import Slider, estimator
from calc.quantity import apply, largest, let, limit, log, q, smallest, term, total


@estimator(
    "expert-coverage", chapter=2, title="Experts that a batch wakes up",
    question="How many experts does a batch wake up?",
    excludes="correlation between the tokens of one sequence (and, where routing first chooses groups of experts, between the experts of one "
             "token, which leaves the expected count as it is), and capacity limits that drop tokens",
    sweep="batch_tokens", draws=("touched", "if_uniform"), rising=("batch_tokens",), falling=("hot_share",),
)
def expert_coverage(
    experts=Slider(128, 2, 1024, unit="experts", log=True, symbol="E", help="experts in one layer"),
    top_k=Slider(8, 1, 32, unit="experts", log=True, symbol="k", help="experts that each token picks"),
    batch_tokens=Slider(8, 1, 4096, unit="tokens", log=True, symbol="m", help="tokens in one pass"),
    hot_share=Slider(0.1, 0.1, 0.9, symbol="s", whole=False, help="share of the picks that want the most popular tenth of the experts; 0.1 is even"),
    expert_size=Slider(37.7, 0.1, 1000, unit="MB", log=True, symbol="e", help="bytes of one expert of one layer; the default is an expert of Qwen3-235B-A22B, 18.9 million weights of 16 bits"),
):
    limit("Enough experts", top_k, experts, "a token cannot pick more experts than there are", meter=False)
    k = let("k", apply("k if k ≤ E", lambda picked, there: picked if picked <= there else None, top_k, experts), "experts per token")
    E, m = experts, batch_tokens
    hot, cold = let("E_h", 0.1 * E, "popular experts"), let("E_c", 0.9 * E, "other experts")
    p_hot = let("p_h", k * smallest(1 / k, hot_share / hot), "chance that a token picks a given popular expert")
    p_cold = let("p_c", (k - hot * p_hot) / cold, "chance that a token picks a given other expert")

    picks = term("picks", m * k, "m·k", "", "Picks", "What is handed out; several tokens may pick the same expert.")
    even = term("if_uniform", E * (1 - (1 - k / E) ** m), "u₀", "", "Experts touched if all are equally popular",
                "An expert is missed when every token misses it.", label="experts")
    popular = term("popular_touched", hot * (1 - (1 - p_hot) ** m), "u_h", "", "Popular experts touched",
                   "Of the popular tenth; a few tokens are enough to touch all of it.", label="experts")
    others = term("others_touched", cold * (1 - (1 - p_cold) ** m), "u_c", "", "Other experts touched", "Of the other nine tenths.",
                  label="experts")
    touched = term("touched", total([popular, others]), "u", "", "Experts touched",
                   "Expected number per layer; each is read once, however many tokens picked it.", label="experts")
    term("share", touched / E, "u/E", "", "Share of the experts touched", "Of the layer's expert weights, what is read.")
    term("tokens_per_touched", picks / touched, "n", "", "Tokens per touched expert", "How often a fetched expert is used.", label="tokens")
    layer = term("bytes_per_layer", touched * expert_size, "D", "GB", "Bytes per layer", "Read for the whole batch.")
    term("bytes_per_token", layer / m, "D/m", "MB", "Bytes per token and layer", "What each token has to pay for.")
    term("tokens_for_90_percent", log(q(0.1)) / log(largest(0.1, 1 - k / E)), "m₉₀", "", "Tokens that touch 90 %",
         "With even popularity; from here on sparsity saves a tenth of the reading at most. The 0.1 inside: where a token picks nine tenths of the "
         "experts or more, a single one is enough.", label="tokens")
    term("busiest_over_mean", p_hot * E / k, "x", "×", "Busiest over mean",
         "A popular expert's work over the average; others wait for it. It stops growing when every token already picks the whole popular tenth.")
    return touched, even
