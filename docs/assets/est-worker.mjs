// The one Python of a visit. Says each stage it reaches, answers calls with strings, and says why when it cannot start.
// A failed file is told at once: left alone, Pyodide warns on the console and never settles when its .wasm is missing.
let fail;
const fatal = new Promise((_, reject) => { fail = reject; });
fatal.catch(() => {});

const why = (kind, values) => Object.assign(new Error(kind), { why: { kind, ...values } });
const nameOf = (address) => new URL(address, self.location.href).pathname.split("/").pop();
const plainFetch = self.fetch.bind(self);

self.fetch = async (what, how) => {
  const address = String(what.url ?? what);
  let reply;
  try {
    reply = await plainFetch(what, how);
  } catch (error) {
    fail(why("network", { file: nameOf(address) }));
    throw error;
  }
  const type = reply.headers.get("content-type") ?? "";
  if (!reply.ok) fail(why("http", { file: nameOf(address), status: reply.status }));
  // Only then: a wrapped response is compiled anew at each visit.
  else if (address.endsWith(".wasm") && !type.startsWith("application/wasm"))
    return new Response(reply.body, { headers: { "content-type": "application/wasm" } });
  return reply;
};

async function whyNot(address) {
  let reply;
  try { reply = await plainFetch(address); } catch { return why("network", { file: nameOf(address) }); }
  if (!reply.ok) return why("http", { file: nameOf(address), status: reply.status });
  const type = reply.headers.get("content-type") ?? "no type";
  return /javascript/.test(type) ? null : why("type", { file: nameOf(address), type });
}

async function bytes(address) {
  const reply = await self.fetch(address);
  if (!reply.ok) throw why("http", { file: nameOf(address), status: reply.status });
  return new Uint8Array(await reply.arrayBuffer());
}

async function start({ base, manifest }) {
  const { files, lock } = manifest;
  const at = (role) => new URL(files[role].name, base).href;
  const stage = (name) => postMessage({ stage: name });
  try { new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); } catch { throw why("blocked"); }
  const wheel = bytes(at("wheel"));
  wheel.catch(fail);
  let module;
  try { module = await import(at("module")); } catch (error) { throw (await whyNot(at("module"))) ?? error; }
  stage("module");
  let python;
  try {
    python = await Promise.race([fatal, module.loadPyodide({
      indexURL: base, stdLibURL: at("stdlib"), lockFileContents: lock, enableRunUntilComplete: false,
      env: { PYTHONHASHSEED: "0", HOME: "/home/pyodide" },
    })]);
  } catch (error) {
    throw error.why ? error : (await whyNot(at("glue"))) ?? error;
  }
  stage("python");
  const version = manifest.python.split(".").slice(0, 2).join(".");
  python.unpackArchive(await wheel, "wheel", { extractDir: `/lib/python${version}/site-packages` });
  const web = python.pyimport("calc.web");
  stage("calc");
  return web;
}

// What fails is told to the page in words; Pyodide's own promises about it are nobody's.
self.addEventListener("unhandledrejection", (event) => event.preventDefault());

let ready;
self.onmessage = async ({ data }) => {
  if (data.base) {
    ready = start(data);
    ready.then(() => postMessage({ ready: true }), (error) =>
      postMessage({ failed: error.why ?? { kind: "broken", detail: String(error.message ?? error).slice(0, 200) } }));
    return;
  }
  try {
    postMessage({ id: data.id, text: (await ready)[data.call](...data.given) });
  } catch (error) {
    postMessage({ id: data.id, error: String(error.message ?? error).slice(-300) });
  }
};
postMessage({ stage: "hello" });
