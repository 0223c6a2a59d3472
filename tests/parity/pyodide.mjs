// Usage: node pyodide.mjs BOOK: prints the report of ledgers.py as Pyodide computes it from the sources in BOOK.
import path from "node:path";
import { pathToFileURL } from "node:url";

const book = path.resolve(process.argv[2]);
const folder = path.join(book, "node_modules", "pyodide");
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: folder + path.sep, env: { PYTHONHASHSEED: "0", HOME: "/home/pyodide", PYTHONDONTWRITEBYTECODE: "1" } });
python.FS.mkdir("/book");
python.FS.mount(python.FS.filesystems.NODEFS, { root: book }, "/book");
const report = python.runPython("import sys; sys.path[:0] = ['/book', '/book/tests/parity']; import ledgers; ledgers.report()");
process.stdout.write(report, () => process.exit(0));
