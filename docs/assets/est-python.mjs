// One worker per visit: when it starts, what it is doing, and what to say when it does not answer.
import { words } from "./est-data.mjs";

export const say = (key, values = {}) =>
  Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), words[key]);

const HELLO = 10_000, STAGE = 60_000, CALL = 5_000, SLOW = 10_000;
const root = new URL("../runtime/", import.meta.url);
const watchers = new Set();
let worker = null, manifest = null, starting = null, clock = 0, slow = 0, number = 0, warm = false, waiting = new Map();

// `start` counts how often Python has started: a new one knows nothing of the reader's own records.
export const state = { name: "off", text: "", start: 0 };

export function watch(heard) { watchers.add(heard); }

function set(name, text) {
  Object.assign(state, { name, text });
  for (const heard of watchers) heard();
}

export async function size() {
  if (!manifest) {
    const address = new URL("manifest.json", root);
    let reply;
    try { reply = await fetch(address); } catch { throw { kind: "network", file: "manifest.json" }; }
    if (!reply.ok) throw { kind: "http", file: "manifest.json", status: reply.status };
    try { manifest = await reply.json(); } catch { throw { kind: "type", file: "manifest.json", type: reply.headers.get("content-type") }; }
  }
  return manifest.text;
}

function stop(reason) {
  clearTimeout(clock);
  clearTimeout(slow);
  worker?.terminate();
  worker = starting = null;
  warm = false;
  const left = [...waiting.values()];
  waiting = new Map();
  set("failed", say("unavailable", { reason: say(reason.kind, reason) }));
  for (const call of left) { clearTimeout(call.clock); call.reject(new Error(state.text)); }
}

export function restart() {
  if (worker) stop({ kind: "broken", detail: "stopped" });
  set("off", "");
  return start();
}

export function start() {
  starting ??= begin().catch((reason) => { stop(reason.kind ? reason : { kind: "broken", detail: String(reason.message ?? reason) }); });
  return starting;
}

async function begin() {
  set("starting", say("starting", { size: manifest?.text ?? "" }));
  const known = await size();
  set("starting", say("starting", { size: known }));
  const address = new URL("est-worker.mjs", import.meta.url);
  try { worker = new Worker(address, { type: "module" }); } catch { throw { kind: "noworker" }; }
  const mine = worker;
  await new Promise((done, broken) => {
    let stage = "hello";
    const guard = (ms, reason) => { clearTimeout(clock); clock = setTimeout(() => broken(reason), ms); };
    guard(HELLO, { kind: "hello" });
    slow = setTimeout(() => state.name === "starting" && set("starting", say("slow")), SLOW);
    mine.onerror = async () => {
      // The event says nothing of its cause; the server does.
      let reply;
      try { reply = await fetch(address); } catch { return broken({ kind: "network", file: "est-worker.mjs" }); }
      const type = reply.headers.get("content-type") ?? "no type";
      if (!reply.ok) broken({ kind: "http", file: "est-worker.mjs", status: reply.status });
      else if (!/javascript/.test(type)) broken({ kind: "type", file: "est-worker.mjs", type });
      else broken({ kind: "noworker" });
    };
    mine.onmessage = ({ data }) => {
      if (data.stage) {
        stage = data.stage;
        set("starting", say("stage", { stage: say(`stage.${stage}`) }));
        guard(STAGE, { kind: "stuck", stage: say(`stage.${stage}`) });
        if (stage === "hello") mine.postMessage({ base: new URL(manifest.folder, root).href, manifest });
      } else if (data.failed) broken(data.failed);
      else if (data.ready) {
        clearTimeout(clock);
        clearTimeout(slow);
        mine.onerror = () => stop({ kind: "broken", detail: "worker" });
        state.start += 1;
        set("live", say("live"));
        done();
      }
      else if (data.id) {
        const call = waiting.get(data.id);
        if (!call) return;
        waiting.delete(data.id);
        clearTimeout(call.clock);
        warm = true;
        if (data.error) call.reject(new Error(data.error)); else call.resolve(data.text);
      }
    };
  });
}

export async function call(name, ...given) {
  await start();
  if (!worker) throw new Error(state.text);
  const id = ++number;
  return new Promise((resolve, reject) => {
    // The first answer also reads the tables: on a slow phone that may take as long as a stage of the start.
    waiting.set(id, { resolve, reject, clock: setTimeout(() => stop({ kind: "hung" }), warm ? CALL : STAGE) });
    worker.postMessage({ id, call: name, given });
  });
}
