"""Requests: the arithmetic of one prompt, of one answer, and of a conversation that is sent again at every turn.

A request has P prompt and G output tokens: one pass over the prompt, which yields the first output token, and G − 1 decode
steps, of which step j reads the state of P + j − 1 tokens.
"""

from calc.parts import flops, layers, weights
from calc.quantity import apply, let, q, total


def prefill(model, new, history=None):
    """FLOP of one pass over `new` tokens behind `history` old ones, the output head on the last position only."""
    A, H = weights.active(model), weights.head(model)
    return total([flops.linear(A - H, new), flops.linear(H, 1), flops.attention_prompt(model, new, history)])


def everywhere(model, tokens):
    """FLOP of one pass over `tokens` tokens with the output head on every position, as scoring and training need it."""
    return flops.linear(weights.active(model), tokens) + flops.attention_prompt(model, tokens)


def token(model, context):
    """FLOP of one new token of a sequence that holds `context` tokens: 2A + φ(c + 1)."""
    return flops.linear(weights.active(model), 1) + flops.attention_step(model, context + 1)


def answer(model, prompt, steps):
    """FLOP of all decode steps of one request; its attention pairs are those of `steps` new tokens on `prompt` old ones."""
    return flops.linear(weights.active(model), steps) + flops.attention_prompt(model, steps, prompt, form="absorbed")


def mean_context(prompt, output):
    """Old tokens that a decode step reads on average, P + (G − 2)/2."""
    return prompt + (output - 2) / 2


class Conversation:
    """T turns; every prompt repeats all that was said, then adds `append` tokens, and every answer has `output` tokens.

    Turn i shows I_i = P + (i − 1)(a + G) tokens, a being what is appended. With a prefix cache only P and then a per turn are new: the state of the
    answers was written while they were decoded.
    """

    def __init__(self, model, prompt, append, output, turns):
        self.model, self.prompt, self.append, self.output, self.turns = model, prompt, append, output, turns
        self.grows = let("(a + G)", append + output, "tokens that a turn adds")

    def shown(self):
        """Tokens of all prompts, Σ I_i = T·P + T(T − 1)/2·(a + G)."""
        return self.turns * self.prompt + self.turns * (self.turns - 1) / 2 * self.grows

    def fresh(self):
        """Tokens that no earlier turn has computed, P + (T − 1)·a."""
        return self.prompt + (self.turns - 1) * self.append

    def last_prompt(self):
        """Tokens of the last turn's prompt, I_T."""
        return self.prompt + (self.turns - 1) * self.grows

    def linear(self, tokens):
        """FLOP of the matrices over `tokens` tokens in T passes, the head on each pass's last position."""
        A, H = weights.active(self.model), weights.head(self.model)
        return flops.linear(A - H, tokens) + flops.linear(H, self.turns)

    def attention_without(self):
        """FLOP of attention and recurrences when every turn computes its whole prompt: Σ I_i(I_i + 1)/2 pairs."""
        if not self._proportional():
            return self._summed("Σ φ(I)", lambda seen, first, new: self._prompt(first + new))
        n, s, first = self.turns, self.grows, self.prompt
        squares = total([n * first * first, first * s * n * (n - 1), s * s * ((n - 1) * n * (2 * n - 1) / 6)])
        pairs = let("Σ pairs", (squares + self.shown()) / 2, "pairs of a token with an earlier one")
        return self._work(pairs, self.shown())

    def attention_with(self):
        """FLOP of attention and recurrences when only new tokens are computed: each still attends to the whole prefix."""
        if not self._proportional():
            return self._summed("Σ φ(new | old)", lambda seen, first, new: self._prompt(first + new) - self._prompt(first))
        later = let("(T − 1)", self.turns - 1, "turns after the first")
        histories = self.shown() - self.prompt - later * self.append
        pairs = total([self.prompt * (self.prompt + 1) / 2, self.append * histories, later * (self.append * (self.append + 1) / 2)])
        return self._work(let("Σ pairs", pairs, "pairs of a new token with an earlier one"), self.fresh())

    def _work(self, pairs, tokens):
        found = [flops.attention_per_key(self.model, "expanded") * pairs] if flops.attention_per_key(self.model, "expanded").value else []
        steady = flops.recurrent_step(self.model)
        if steady.value:
            found.append(steady * tokens)
        return total(found)

    def _proportional(self):
        """Whether attention is proportional to pairs in every block: nothing is windowed, compressed or selected."""
        return all(k in ("full", "global", "mla", *layers.RECURRENT) for k in layers.mixers(self.model))

    def _prompt(self, tokens):
        return flops.attention_prompt(self.model, q(tokens)).value if tokens else 0

    def _summed(self, name, work):
        """Σ over turns of `work(turn, old tokens, new tokens)`: for attention that has no closed form over turns."""
        def summed(prompt, append, output, turns):
            old, new, found = 0, prompt, 0
            for turn in range(int(turns)):
                found += work(turn, old, new)
                old, new = old + new + output, append
            return found

        return apply(name, summed, self.prompt, self.append, self.output, self.turns, unit_name="FLOP")
