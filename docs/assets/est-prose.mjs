// Numbers in sentences: inputs that can be dragged, and results that follow the widget on the same page.
import { say } from "./est-python.mjs";

const STEP = 8, DEAD = 3;   // pixels of travel per rung, and before a press becomes a drag

export function mountProse(widgets) {
  for (const place of document.querySelectorAll(".est-scrub[data-scrub]:not([data-ready])")) {
    const [name, input] = place.dataset.scrub.split(".");
    const field = widgets.get(name)?.fields.get(input);
    const range = field?.querySelector("[type=range]");
    if (range) scrub(place, widgets.get(name), field, range);
  }
}

function scrub(place, widget, field, range) {
  const text = place.querySelector("span"), box = document.createElement("input");
  place.dataset.ready = "";
  Object.assign(box, { type: "text", className: "est-drag", inputMode: "decimal", value: text.textContent, autocomplete: "off" });
  box.size = Math.max(3, text.textContent.length + 1);
  for (const [key, value] of Object.entries({
    role: "spinbutton", "aria-label": say("scrub", { label: place.dataset.label }), "aria-valuetext": range.getAttribute("aria-valuetext"),
    "aria-valuenow": text.textContent.replaceAll(",", ""),
  })) box.setAttribute(key, value);
  text.replaceWith(box);
  const follow = () => { box.value = field.querySelector("[type=text]").value; };
  const step = (up) => { if (up) range.stepUp(); else range.stepDown(); widget.moved(range, true); follow(); };
  let before = box.value, from = null, dragging = false;
  box.addEventListener("focus", () => { before = box.value; widget.intent(); });
  box.addEventListener("change", () => {
    const own = field.querySelector("[type=text]");
    own.value = box.value;
    widget.moved(own, false);
  });
  box.addEventListener("keydown", (event) => {
    if (["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"].includes(event.key)) {
      event.preventDefault();
      step(event.key === "ArrowUp" || event.key === "ArrowRight");
    }
    if (event.key === "Escape") { box.value = before; box.dispatchEvent(new Event("change")); }
  });
  box.addEventListener("pointerdown", (event) => { from = event.clientX; dragging = false; });
  box.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const travelled = event.clientX - from;
    if (!dragging && Math.abs(travelled) < DEAD) return;
    if (!dragging) { dragging = true; box.setPointerCapture(event.pointerId); }
    if (Math.abs(travelled) >= STEP) { step(travelled > 0); from = event.clientX; }
  });
  for (const type of ["pointerup", "pointercancel"]) box.addEventListener(type, () => { from = null; if (dragging) box.blur(); dragging = false; });
}

export function showProse(name, reply) {
  for (const place of document.querySelectorAll(`[data-live^="${CSS.escape(name)}."]`)) {
    const text = reply.live[place.dataset.live.slice(name.length + 1)];
    if (text !== undefined && place.textContent !== text) place.textContent = text;
  }
  for (const place of document.querySelectorAll(`[data-scrub^="${CSS.escape(name)}."][data-ready]`)) {
    const input = place.dataset.scrub.slice(name.length + 1), box = place.querySelector("input"), state = reply.fields[input];
    if (!state) continue;
    if (box !== document.activeElement || box.value.replaceAll(",", "") === reply.values[input]) box.value = state.text;
    box.setAttribute("aria-valuetext", state.spoken);
    box.setAttribute("aria-valuenow", reply.values[input]);
  }
}
