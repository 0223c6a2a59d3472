"""What a picture or a clip becomes inside a system: tokens, features, state, arithmetic."""

from calc.catalog import MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import requests, state, vision
from calc.quantity import let, q, term


@estimator(
    "multimodal-tokens", chapter=3, title="A picture's sizes along its way",
    question="What does this picture or clip become inside the system?",
    excludes="decoding and resizing of the image on the host (the processor of this family scales each side to the nearest whole number of tokens, "
             "at least one, and down to a limit of pixels; here sides round up and nothing is limited), windowed attention in other vision towers, sound",
    sweep="image_width", draws=("encoder_flops", "prefill_flops"), rising=("image_width", "image_height", "frames"),
)
def multimodal_tokens(
    model=Pick(MODELS, "qwen3-vl-8b", where=vision.understood, why="has no vision tower of the Qwen3-VL family"),
    image_width=Slider(1024, 32, 4096, unit="pixel", log=True, symbol="W_px", whole=True, help="width of the picture"),
    image_height=Slider(1024, 32, 4096, unit="pixel", log=True, symbol="H_px", whole=True, help="height of the picture"),
    frames=Slider(1, 1, 1024, log=True, symbol="f", help="1 for a picture; two successive frames of a clip share a grid"),
    prompt=Slider(256, 1, 131072, unit="tokens", log=True, symbol="P", help="tokens of text beside the picture"),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value", more=True),
):
    per_frame = vision.tokens_per_frame(model, image_width, image_height)
    seen = term("visual_tokens", per_frame * vision.frame_groups(model, frames), "n", "", "Visual tokens", "One for each square of 32 by 32 pixels.",
                label="tokens")
    term("patches", seen * vision.patches_per_token(model), "n·m²", "", "Patches", "What the encoder works on.", label="patches")
    pixels = q(3, "B") * (image_width / q(1, "pixel")) * (image_height / q(1, "pixel")) * frames
    raw = term("raw_pixels", pixels, "B_raw", "MB", "Pixels", "Three bytes each.")
    values = let("2 B", q(2, "B"), "bytes per feature")
    term("encoder_cache", seen * model.hidden * vision.cache_sets(model) * values, "B_enc", "MB", "Encoder features",
         "One vector of the text model's width per token and set.")
    grown = state.held(model, seen + prompt, kv_bits) - state.held(model, prompt, kv_bits)
    kept = term("kv_state", grown, "B_kv", "MB", "State in the text model", "What the visual tokens add.")
    term("kv_over_raw", kept / raw, "", "×", "State over pixels", "The size depends on where you cut.")
    term("encoder_flops", vision.encoder_work(model, seen, per_frame), "F_enc", "TFLOP", "Encoder, arithmetic",
         "Every patch sees all patches of its frame.")
    whole = let("(n + P)", seen + prompt, "tokens of the prompt", "tokens")
    term("prefill_flops", requests.prefill(model, whole), "F", "TFLOP", "Text model, arithmetic", "Visual and text tokens in one pass.")
    term("share_of_prompt", seen / whole, "", "", "Share of the prompt", "Visual tokens of all tokens.")
    return seen
