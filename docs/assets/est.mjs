// The widgets of a page: moves strings between the form, the worker, the page and the address. Python does the rest.
import { groups, masks, offers } from "./est-data.mjs";
import { call, restart, say, size, start, state, watch } from "./est-python.mjs";
import { mountProse, showProse } from "./est-prose.mjs";

const widgets = new Map();
const owned = [];            // what the reader brought, for this visit
let ownedStart = 0, agreed = false, announcing = 0, writing = 0, shown;

const store = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { if (value === null) localStorage.removeItem(key); else localStorage.setItem(key, value); } catch { /* no storage */ } },
};

function button(label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}

function announce(text) {
  clearTimeout(announcing);
  announcing = setTimeout(() => { document.getElementById("est-announce").textContent = text; }, 500);
}

async function copy(text, widget) {
  let word = "copied";
  try { await navigator.clipboard.writeText(text); } catch { word = "copy_failed"; }
  widget.says(say(word));
  announce(say(word));
  clearTimeout(widget.held);
  widget.held = setTimeout(() => { widget.held = 0; widget.show(); }, 4000);
}

// ARIA's numbers have no separators and no exponent.
function number(control, key, text) {
  const plain = text.replaceAll(",", "");
  if (/^-?[\d.]+$/.test(plain)) control.setAttribute(key, plain); else control.removeAttribute(key);
}

function voice(controls, text, value) {
  for (const control of controls) {
    control.setAttribute("aria-valuetext", text);
    if (control.matches("[role=spinbutton]")) number(control, "aria-valuenow", value);
  }
}

function more(use, widget) {
  import("./est-own.mjs").then(use, () => widget?.says(say("network", { file: "est-own.mjs" })));
}

function fill(select) {
  const [kind, bits] = masks[offers[select.dataset.offer]].split(":");
  const chosen = select.value, all = [];
  let place = 0;
  for (const [label, rows] of groups[kind]) {
    const group = document.createElement("optgroup");
    group.label = label;
    for (const [id, name] of rows) if (!bits || bits[place++] === "1") group.append(new Option(name, id));
    if (group.children.length) all.push(group);
  }
  select.replaceChildren(...all);
  select.value = chosen;
  if (select.selectedOptions[0]) select.selectedOptions[0].defaultSelected = true;
  for (const record of owned) offer(record, select);
}

function offer(record, select) {
  if (!record.offers?.includes(select.dataset.offer) || [...select.options].some((o) => o.value === record.id)) return;
  select.prepend(new Option(record.name, record.id));
}

async function bring() {
  if (ownedStart === state.start) return;
  ownedStart = state.start;
  for (const record of owned) Object.assign(record, JSON.parse(await call("own", JSON.stringify(record.sent))));
  for (const widget of widgets.values()) for (const select of widget.all("select[data-offer]")) for (const record of owned) offer(record, select);
}

class Widget {
  constructor(section) {
    Object.assign(this, { section, id: section.dataset.est, name: section.id, fence: JSON.parse(section.dataset.fence) });
    Object.assign(this, { out: [], guess: "", over: "", pin: undefined, address: null, values: null, last: {}, stuck: {}, pairs: [] });
    this.fields = new Map(this.all("[data-field]").map((field) => [field.dataset.field, field]));
    this.help = new Map([...this.fields].map(([name, field]) => [name, field.querySelector(".est-note").textContent]));
    for (const select of this.all("select[data-offer]")) fill(select);
    for (const range of this.all("[data-field] [type=range]")) {
      // Up and Down step the box as they do the slider.
      const box = range.parentElement.querySelector("input[type=text]"), rungs = range.dataset.rungs.replaceAll(",", "").split("|");
      box.setAttribute("role", "spinbutton");
      number(box, "aria-valuemin", rungs[0]);
      number(box, "aria-valuemax", rungs.at(-1));
      const allowed = document.createElement("span");
      Object.assign(allowed, { id: `${range.id}-g`, className: "visually-hidden",
        textContent: say("allowed", { low: rungs[0], high: `${rungs.at(-1)} ${range.dataset.say}`.trim() }) });
      range.after(allowed);
      for (const control of [range, box]) control.setAttribute("aria-describedby", `${box.id}-n ${allowed.id}`);
      voice([box], range.getAttribute("aria-valuetext"), box.value);
    }
    for (const radio of this.all("[name=est-units]")) radio.checked = radio.value === (store.get("est.units") ?? "GB");
    this.nameLinks();
    const remember = this.one("[data-do=remember]");
    if (remember) remember.checked = store.get("est.guesses") !== null;
    for (const type of ["pointerdown", "focusin", "keydown"]) section.addEventListener(type, () => this.intent());
    section.addEventListener("input", (event) => this.moved(event.target, true));
    section.addEventListener("change", (event) => this.moved(event.target, false));
    section.addEventListener("click", (event) => { const hit = event.target.closest("[data-do]"); if (hit) this.act(hit, event); });
    section.addEventListener("keydown", (event) => this.key(event));
    section.addEventListener("submit", (event) => { event.preventDefault(); if (event.target.matches(".est-guess")) this.check(); });
    section.addEventListener("reset", () => { clearTimeout(this.typing); this.pin = undefined; this.address = null; this.stuck = {}; this.out = []; this.over = ""; setTimeout(() => this.update()); });
    section.addEventListener("toggle", (event) => {
      const part = event.target.open && event.target.querySelector(".est-wait");
      if (!part) return;
      this.last[part.dataset.part] = part.textContent = say("wait");
      this.update(true);
    }, true);
    for (const type of ["pointerover", "focusin"]) section.addEventListener(type, (event) => this.light(event.target.closest("[data-term]")));
  }

  one(what) { return this.section.querySelector(what); }
  all(what) { return [...this.section.querySelectorAll(what)]; }

  intent() {
    if (this.wanted) return;
    this.wanted = true;
    this.update();
  }

  inputs() {
    const found = {};
    for (const [name, field] of this.fields) {
      const box = field.querySelector("input[type=text], select"), check = field.querySelector("input[type=checkbox]");
      found[name] = box ? box.value : check ? String(check.checked) : field.querySelector("input:checked").value;
    }
    return found;
  }

  moved(control, moving) {
    const field = control.closest("[data-field]");
    const place = field ?? control.closest(".est-guess");
    if (!this.checked) this.judged = false;
    if (control.type === "range") {
      const rung = control.dataset.rungs.split("|")[control.valueAsNumber];
      const box = place.querySelector("input[type=text]");
      box.value = rung;
      voice([control, box], `${rung} ${control.dataset.say}`.trim(), rung);
    }
    if (control.name === "est-units") {
      store.set("est.units", control.value);
      for (const other of widgets.values()) {
        for (const radio of other.all("[name=est-units]")) radio.checked = radio.value === control.value;
        if (other.wanted) other.update();
      }
      return;
    }
    if (control.dataset.leave) {
      this.out = this.out.filter((key) => key !== control.dataset.leave);
      if (!control.checked) this.out.push(control.dataset.leave);
      if (!moving) this.update(true);
      return;
    }
    if (!field) return;
    clearTimeout(this.typing);
    this.quiet = moving && control.type === "text";
    // "8" may be the start of "8k".
    if (this.quiet) this.typing = setTimeout(() => this.changed(field), 400); else this.changed(field);
  }

  changed(field) {
    const name = field.dataset.field;
    delete this.stuck[name];
    if (this.address) { this.address = { ...this.address }; delete this.address[name]; }
    if (field.matches(".est-slide")) this.over = name;
    this.update();
  }

  key(event) {
    const { target, key } = event;
    if (key === "Escape") {
      const row = target.closest(".est-why") ?? document.getElementById(target.getAttribute("aria-controls"));
      if (row && !row.hidden) this.explain(this.one(`[aria-controls="${CSS.escape(row.id)}"]`), true);
    }
    if (target.type === "range" && (key === "PageUp" || key === "PageDown")) {
      event.preventDefault();
      if (key === "PageUp") target.stepUp(Number(target.dataset.jump)); else target.stepDown(Number(target.dataset.jump));
      this.moved(target, true);
    }
    if (target.type === "text" && (key === "ArrowUp" || key === "ArrowDown")) {
      const range = (target.closest("[data-field]") ?? target.closest(".est-guess"))?.querySelector("[type=range]");
      if (!range) return;
      event.preventDefault();
      if (key === "ArrowUp") range.stepUp(); else range.stepDown();
      this.moved(range, true);
    }
  }

  act(hit) {
    const what = hit.dataset.do;
    if (what === "explain") this.explain(hit);
    else if (what === "pin") { this.pin = this.values ?? this.inputs(); this.did = "pin"; this.judged = false; this.update(); }
    else if (what === "unpin") { this.pin = null; this.update(); }
    else if (what === "swap") { const b = this.values; this.address = this.pinned; this.pin = b; this.update(); }
    else if (what === "link") { write(); const link = new URL(location.href); link.hash = this.name; copy(link.href, this); }
    else if (what === "copy") copy(document.getElementById(hit.dataset.from).textContent, this);
    else if (what === "csv" || what === "svg") more((own) => own.download(this, what), this);
    else if (what === "reveal") { const fold = this.one(".est-fold"); if (fold) { fold.open = true; fold.querySelector("summary").focus(); } }
    else if (what === "own") more((own) => own.bringDialog(this, widgets, owned, offer), this);
    else if (what === "remember" && !hit.checked) store.set("est.guesses", null);
  }

  explain(hit, close = false) {
    const row = document.getElementById(hit.getAttribute("aria-controls"));
    row.hidden = close || !row.hidden;
    hit.setAttribute("aria-expanded", String(!row.hidden));
    if (close) hit.focus();
  }

  light(hit) {
    if (this.lit === hit?.dataset.term) return;
    this.lit = hit?.dataset.term;
    for (const part of this.all("[data-term]")) part.classList.toggle("est-lit", Boolean(this.lit) && part.dataset.term === this.lit);
  }

  check() {
    this.guess = this.one(".est-guess input[type=text]").value;
    this.checked = this.judged = true;
    this.update();
  }

  request(all) {
    const request = {
      name: this.name, fence: this.fence, inputs: this.inputs(), over: this.over, out: this.out, guess: this.guess,
      units: store.get("est.units") ?? "GB",
      open: all ? this.all("details[open] > .est-part").map((part) => part.dataset.part) : [],
    };
    if (this.address) request.address = this.address;
    if (this.pin !== undefined) request.pin = this.pin;
    if (this.did) request.did = this.did;
    request.judge = Boolean(this.judged);
    return request;
  }

  async update(all = false) {
    this.wanted = true;
    if (!agreed && navigator.connection?.saveData) return this.askFirst();
    this.settle ??= null;
    clearTimeout(this.settle);
    this.full ||= all;
    if (this.busy) { this.again = true; return; }
    this.busy = true;
    this.show();
    const dim = setTimeout(() => this.section.classList.add("est-pending"), 100);
    const still = setTimeout(() => state.name === "live" && this.says(say("computing")), 1000);
    try {
      do {
        await start();
        await bring();
        this.again = false;
        const everything = this.full;
        this.full = false;
        const sent = this.request(everything), reply = JSON.parse(await call("update", this.id, JSON.stringify(sent)));
        this.apply(reply, sent);
      } while (this.again);
    } catch { this.again = false; }
    clearTimeout(dim);
    clearTimeout(still);
    this.section.classList.remove("est-pending");
    this.busy = false;
    this.show();
    if (this.one("details[open] > .est-wait")) this.settle = setTimeout(() => this.update(true), 400);
  }

  apply(reply, sent) {
    const errors = { ...this.stuck, ...reply.errors };
    if (sent.address && this.address === sent.address) {
      this.address = null;
      if (!reply.ok) {
        // The boxes show what the address says, right or wrong; a list can't show what it doesn't hold.
        for (const [name, text] of Object.entries(sent.address)) this.put(name, { text: String(text).slice(0, 64) });
        for (const [name, message] of Object.entries(reply.errors))
          if (this.fields.get(name) && !this.fields.get(name).querySelector("input[type=text]")) this.stuck[name] = message;
        this.again = Object.keys(this.stuck).length > 0;
      }
    }
    const tell = !(this.quiet && this.again);
    for (const [name, field] of this.fields) {
      const box = field.querySelector("input[type=text], select, input"), note = field.querySelector(".est-note");
      const state_ = reply.fields?.[name], error = errors[name];
      if (error && this.quiet && field.contains(document.activeElement)) continue;
      if (tell) {
        if (error) box.setAttribute("aria-invalid", "true"); else box.removeAttribute("aria-invalid");
        field.classList.toggle("est-bad", Boolean(error));
        const typed = box.type === "text" && state_ && box.value !== state_.text && document.activeElement === box ? `= ${state_.shown}` : "";
        note.textContent = error ?? [typed || this.help.get(name), state_?.a].filter(Boolean).join(" · ");
      }
      if (state_ && !this.again) this.put(name, { ...state_, value: reply.values[name] });
    }
    const first = this.checked && sent.judge && reply.ok;
    if (first) {
      const guess = this.one(".est-guess input[type=text]");
      this.checked = false;
      this.one(".est-guess .est-note").textContent = errors.guess ?? "";
      guess.removeAttribute("aria-invalid");
      if (errors.guess) { guess.setAttribute("aria-invalid", "true"); guess.focus(); this.guess = ""; }
    }
    this.message = errors[""] ?? Object.values(errors)[0] ?? reply.failed ?? "";
    this.report = reply.report;
    this.section.classList.toggle("est-stale", !reply.ok);
    this.still(!reply.ok);
    if (!reply.ok) { if (!this.quiet && this.message) announce(`${this.message}. ${say("still")}`); return; }
    if (sent.did) this.did = "";
    this.values = reply.values;
    this.pinned = reply.pin;
    this.pairs = reply.address;
    for (const part of this.all("[data-part]")) this.replace(part, reply.parts[part.dataset.part]);
    this.one("summary[data-title=sources]").textContent = reply.titles.sources;
    const fold = this.one(".est-fold");
    if (first && !errors.guess) {
      if (fold) fold.open = true;
      if (reply.guess && this.one("[data-do=remember]")?.checked) remember(reply.guess);
    }
    const hidden = fold && !fold.open;
    this.one(".est-mini").textContent = hidden ? "" : reply.mini;
    const said = errors.guess ?? (hidden ? say("ready") : reply.announce);
    announce([this.news, said].filter(Boolean).join(" "));
    this.news = "";
    this.nameLinks();
    showProse(this.name, reply);
    clearTimeout(writing);
    writing = setTimeout(write, 300);
  }

  replace(part, markup) {
    const slow = part.parentElement.matches("details") && markup === undefined && ["moves", "flips", "leave"].includes(part.dataset.part);
    if (slow) {
      part.classList.add("est-wait");
      if (!part.parentElement.open) { part.textContent = ""; this.last[part.dataset.part] = ""; }
    }
    if (markup === undefined) return;
    part.classList.remove("est-wait");
    if (this.last[part.dataset.part] === markup) return;
    this.last[part.dataset.part] = markup;
    const focused = part.contains(document.activeElement) ? document.activeElement.id : "";
    const open = [...part.querySelectorAll("details[open][id], [aria-expanded=true][id]")].map((element) => element.id);
    part.style.minHeight = `${part.offsetHeight}px`;
    part.innerHTML = markup;
    for (const id of open) {
      const element = document.getElementById(id);
      if (element?.matches("details")) element.open = true; else if (element) this.explain(element);
    }
    requestAnimationFrame(() => { part.style.minHeight = ""; });
    if (focused) (document.getElementById(focused) ?? this.one("[data-do=pin]")).focus();
    this.lit = undefined;
  }

  nameLinks() {
    for (const link of this.all(".est-why a[href^='#']")) {
      const source = document.getElementById(link.hash.slice(1));
      if (source) link.setAttribute("aria-label", `${link.textContent}: ${(source.querySelector("a") ?? source).textContent}`);
    }
  }

  put(name, { text, rung, spoken, value = text }) {
    const field = this.fields.get(name);
    if (!field || text === undefined) return;
    const box = field.querySelector("input[type=text], select"), check = field.querySelector("input[type=checkbox]");
    if (box && box !== document.activeElement) { if (box.localName !== "select" || [...box.options].some((o) => o.value === text)) box.value = text; }
    else if (check) check.checked = text === "true";
    else if (!box) for (const radio of field.querySelectorAll("input[type=radio]")) radio.checked = radio.value === text.replaceAll(",", "");
    const range = field.querySelector("[type=range]");
    if (range && rung !== undefined) { range.value = rung; voice([range, box], spoken, value); }
  }

  still(on) {
    const place = this.one(".est-still");
    if (!on) place?.remove();
    else if (!place) {
      const made = document.createElement("p");
      made.className = "est-still";
      made.textContent = say("still");
      this.one(".est-out").prepend(made);
    }
  }

  says(text, ...buttons) {
    this.one(".est-says").textContent = text;
    this.one(".est-buttons").replaceChildren(...buttons);
  }

  show() {
    if (!this.wanted) return;
    this.section.classList.toggle("est-starting", state.name === "starting");
    this.section.classList.toggle("est-live", state.name === "live");
    if (this.held && state.name !== "failed") return;
    if (state.name === "failed") {
      const command = document.getElementById(`${this.name}.copy-command`)?.textContent ?? "";
      this.says(`${state.text} ${command}`, button(say("retry"), () => retry()));
      announce(state.text);
    } else if (state.name === "live" && this.message)
      this.says(this.message, ...(this.report ? [button(say("report"), () => copy(this.report, this))] : []));
    else this.says(state.text || say("static"));
    if (state.name === "starting" && state.text) announce(state.text);
  }

  async askFirst() {
    const { text } = { text: await size().catch(() => "") };
    this.says(say("ask", { size: text }), button(say("start"), () => { agreed = true; for (const widget of widgets.values()) if (widget.wanted) widget.update(); }));
  }
}

async function retry() {
  await restart();
  for (const widget of widgets.values()) if (widget.wanted) widget.update();
}

function remember(guess) {
  let known = [];
  try { known = JSON.parse(store.get("est.guesses") ?? "[]"); } catch { /* not ours: begin anew */ }
  store.set("est.guesses", JSON.stringify([...(Array.isArray(known) ? known : []), guess].slice(-500)));
}

function write() {
  const address = new URL(location.href);
  const others = [...address.searchParams].filter(([key]) => !(/^[ea]\./.test(key) && widgets.has(key.split(".")[1])) && !/^o\./.test(key));
  const mine = [...widgets.values()].flatMap((widget) => widget.pairs);
  const used = owned.filter((record) => Object.keys(record.carried ?? {}).length && mine.some(([, value]) => value === record.id));
  address.search = new URLSearchParams([...others, ...used.map((r) => [`o.${r.kind}`, JSON.stringify(r.carried)]), ...mine]).toString();
  if (address.href !== location.href) history.replaceState(history.state, "", address);
}

function arrive() {
  const unknown = [], given = new Map();
  for (const [key, value] of new URLSearchParams(location.search)) {
    const [kind, name, ...rest] = key.split(".");
    if (kind === "o" && !owned.some((record) => record.raw === value)) {
      try { owned.push({ raw: value, sent: { ...JSON.parse(value), kind: name }, offers: [] }); ownedStart = 0; } catch { unknown.push(key); }
    }
    if (kind !== "e" && kind !== "a") continue;
    if (!widgets.has(name)) { unknown.push(name ?? key); continue; }
    const entry = given.get(name) ?? given.set(name, { e: {}, a: {} }).get(name);
    entry[kind][rest.join(".")] = value;
  }
  for (const [name, { e, a }] of given) {
    const widget = widgets.get(name);
    widget.address = e;
    if (Object.keys(a).length) widget.pin = a;
    widget.update();
  }
  const first = widgets.values().next().value;
  if (unknown.length && first) { first.message = say("no_estimator", { name: unknown[0].slice(0, 40) }); first.says(first.message); }
}

// There before it speaks, or it is not heard.
function region() {
  if (document.getElementById("est-announce")) return;
  const place = document.createElement("div");
  Object.assign(place, { id: "est-announce", className: "visually-hidden" });
  place.setAttribute("role", "status");
  document.body.append(place);
}

// A new page without a reload is said and read from its heading.
function enter() {
  const before = shown;
  shown = location.pathname;
  if (before === undefined || before === shown) return;
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1))) ?? document.querySelector("article h1");
  place?.setAttribute("tabindex", "-1");
  place?.focus({ preventScroll: true });
  announce(document.title);
}

function formulas() {
  for (const formula of document.querySelectorAll(".katex-display")) {
    if (formula.scrollWidth <= formula.clientWidth) continue;
    for (const [key, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", say("formula")]]) formula.setAttribute(key, value);
  }
}

// The theme's copy buttons stand in nameless landmarks.
function tame() { for (const nav of document.querySelectorAll(".md-code__nav:not([role])")) nav.setAttribute("role", "none"); }

function mount() {
  region();
  enter();
  formulas();
  tame();
  const watcher = new MutationObserver(tame);
  watcher.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watcher.disconnect(), 5000);
  for (const [name, widget] of widgets) if (!widget.section.isConnected) widgets.delete(name);
  for (const section of document.querySelectorAll("section.est")) if (!widgets.has(section.id)) widgets.set(section.id, new Widget(section));
  mountProse(widgets);
  arrive();
  const place = document.querySelector("[data-calibration]");
  if (place) more((own) => own.calibrate(place, store, button));
}

watch(() => { for (const widget of widgets.values()) widget.show(); });
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll(".est details:not([open])")];
  for (const details of folded) details.open = true;
  for (const widget of widgets.values()) widget.section.dataset.url = location.href;
});
addEventListener("afterprint", () => { for (const details of folded) details.open = false; });
if (window.document$) window.document$.subscribe(mount); else mount();
