// Usage: node runtime_probe.mjs PYODIDE_DIR STDLIB_ZIP WHEEL: runs runtime_probe.py in Pyodide, prints its JSON.
// Starts Python the way the page's worker does: compiled library, inline lock, wheel unpacked, strings each way.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, stdlib, wheel] = process.argv.slice(2).map((name) => path.resolve(name));
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")));
const { info } = JSON.parse(fs.readFileSync(path.join(folder, "pyodide-lock.json"), "utf-8"));
const python = await loadPyodide({
  indexURL: folder + path.sep, stdLibURL: stdlib, lockFileContents: { info, packages: {} },
  enableRunUntilComplete: false, env: { PYTHONHASHSEED: "0", HOME: "/home/pyodide" },
});
const site = "/lib/python3.13/site-packages";
python.unpackArchive(new Uint8Array(fs.readFileSync(wheel)), "wheel", { extractDir: site });

// An error that reaches JavaScript is formatted by Python: that path needs its modules too.
const builtins = python.pyimport("builtins");
let reached = false;
try { builtins.int("not a number"); } catch (error) { reached = String(error.message).includes("ValueError"); }
if (!reached) throw new Error("a Python error did not reach JavaScript");

const source = fs.readFileSync(new URL("runtime_probe.py", import.meta.url), "utf-8");
python.FS.writeFile(`${site}/runtime_probe.py`, source);
const probe = python.pyimport("runtime_probe");
process.stdout.write(probe.report(), () => process.exit(0));
