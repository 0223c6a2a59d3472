// Usage: node runtime_probe.mjs PYODIDE_DIR STDLIB_ZIP WHEEL full|brief: runs runtime_probe.py in Pyodide, prints its JSON.
// Starts Python the way the page's worker does: library given by address, inline lock, wheel unpacked, strings each way.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, stdlib, wheel] = process.argv.slice(2, 5).map((name) => path.resolve(name));
const extent = process.argv[5];
const site = "/lib/python3.13/site-packages";

async function probe() {
  const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")));
  const { info } = JSON.parse(fs.readFileSync(path.join(folder, "pyodide-lock.json"), "utf-8"));
  const python = await loadPyodide({
    indexURL: folder + path.sep, stdLibURL: stdlib, lockFileContents: { info, packages: {} },
    enableRunUntilComplete: false, env: { PYTHONHASHSEED: "0", HOME: "/home/pyodide" },
  });
  python.unpackArchive(new Uint8Array(fs.readFileSync(wheel)), "wheel", { extractDir: site });
  // An error that reaches JavaScript is formatted by Python: that path needs its modules too.
  let said = "";
  try { python.pyimport("builtins").int("not a number"); } catch (error) { said = String(error.message); }
  if (!said.includes("ValueError")) throw new Error(`a Python error reached JavaScript as ${said || "nothing"}`);
  python.FS.writeFile(`${site}/runtime_probe.py`, fs.readFileSync(new URL("runtime_probe.py", import.meta.url)));
  return python.pyimport("runtime_probe").report(extent);
}

// Node prints the whole minified line of an error that nobody catches; only the message is of use.
try {
  const report = await probe();
  process.stdout.write(report, () => process.exit(0));
} catch (error) {
  process.stderr.write(`${error.message}\n`, () => process.exit(1));
}
