"""The command line: `python -m calc list|show|sweep|compare|models|accelerators|links|sources ...`.

Bad input exits 2 with one line that names the input, what was given and what is allowed.
"""

import argparse
import sys

from calc import __version__, model_commands, output, report
from calc import estimator as estimators
from calc.catalog import ACCELERATORS, LINKS, MODELS, SOURCES, WORKLOADS, MissingValue
from calc.estimator import InputError, nearest
from calc.quantity import DimensionError
from calc.units import UnitError

TABLES = {"models": MODELS, "accelerators": ACCELERATORS, "links": LINKS, "workloads": WORKLOADS}
REFUSALS = (InputError, UnitError, MissingValue, DimensionError)


class Refusal(Exception):
    """Something the user has to change; printed as one line."""


class Parser(argparse.ArgumentParser):
    """argparse whose errors are one line."""

    def error(self, message):
        """Refuse in one line, without the usage."""
        raise Refusal(message)


def named(words):
    """{name: value} of `--name value` and `--name=value`."""
    found, words = {}, list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("--") or word == "--":
            raise Refusal(f"{word!r} is not understood; inputs are written --NAME VALUE")
        name, equals, value = word[2:].partition("=")
        if not equals:
            if not words:
                raise Refusal(f"{name}: no value was given")
            value = words.pop(0)
        name = name.replace("-", "_")
        if name in found:
            raise Refusal(f"{name}: given twice")
        found[name] = value
    return found


def pairs(words, which):
    """{name: value} of NAME=VALUE words after --a or --b."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise Refusal(f"{which}: {word!r} is not NAME=VALUE")
        found[name.replace("-", "_")] = value
    return found


def inputs_help(id):
    """The inputs of one estimator, a line each."""
    found = estimators.find(id)
    lines = [f"{found.title} ({found.id}), chapter {found.chapter}", found.question, "", "inputs:"]
    for name, form in found.inputs.items():
        if form.kind == "slider":
            allowed = form.range()
        else:
            options = [str(c) for c in form.choices]
            allowed = ", ".join(options) if len(options) <= 8 else f"{len(options)} ids, see `calc {form.catalogue.name}`"
        default = str(form.default).lower() if isinstance(form.default, bool) else form.default
        lines.append(f"  --{name.replace('_', '-'):<24} {default!s:<14} {allowed}{'; ' + form.help if form.help else ''}")
    return "\n".join([*lines, "", f"not counted: {found.excludes}"])


def list_command(args):
    rows = report.listing(args.chapter)
    if args.chapter is not None and not rows:
        chapters = sorted({r["chapter"] for r in report.listing()})
        raise Refusal(f"chapter: {args.chapter} has no estimators; chapters with some: {', '.join(map(str, chapters))}")
    return output.table(rows, ("id", "chapter", "title", "question"), args.format)


def show_command(args):
    return output.answer(estimators.call(args.id, **named(args.rest)), args.format)


def sweep_command(args):
    data = report.sweep_dict(args.id, args.over, args.points, args.start, args.end, named(args.rest))
    return output.sweep(data, args.format)


def compare_command(args):
    return output.comparison(report.compare_dict(args.id, pairs(args.a, "a"), pairs(args.b, "b")), args.format)


def catalogue_command(args):
    table = TABLES[args.command]
    if args.id is None:
        return output.catalogue(table, args.format)
    if args.id not in table:
        raise Refusal(f"{args.command[:-1]}: unknown {args.id!r}; nearest: {nearest(args.id, list(table))}")
    return output.record(report.record_dict(table[args.id]), args.format)


def sources_command(args):
    if args.id is None:
        rows = [{"id": i, **SOURCES[i]} for i in SOURCES]
        return output.table(rows, ("id", "title", "publisher", "kind", "url"), args.format)
    if args.id not in SOURCES:
        raise Refusal(f"source: unknown {args.id!r}; nearest: {nearest(args.id, list(SOURCES))}")
    return output.plain_record({"id": args.id, **SOURCES[args.id]}, args.format)


def parser():
    """The whole command line as argparse knows it; an estimator's own inputs are read by `named`."""
    top = Parser(prog="calc", description="Estimates of what AI systems hold, move, compute and cost, with their ledgers.")
    top.add_argument("--version", action="version", version=f"calc {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    def add(name, run, help, **more):
        command = commands.add_parser(name, help=help, description=help, **more)
        command.add_argument("--format", choices=output.FORMATS, default="text", help="text (default), md, json or csv")
        command.set_defaults(run=run)
        return command

    add("list", list_command, "the estimators: id, chapter, title, question").add_argument(
        "--chapter", type=int, help="only this chapter's")
    inputs = "Inputs are written --NAME VALUE, with - or _; numbers take units (\"64 MiB\", \"400 Gbit/s\", 8k). `calc show ID --help` lists them."
    add("show", show_command, "the ledger of one estimator at given inputs", epilog=inputs).add_argument("id", metavar="ID")
    sweep = add("sweep", sweep_command, "a table: an input, the answer and its terms", epilog=inputs)
    sweep.add_argument("id", metavar="ID")
    sweep.add_argument("--over", required=True, metavar="NAME", help="the input to vary")
    sweep.add_argument("--points", type=int, help="how many values (default: the slider's own steps)")
    sweep.add_argument("--from", dest="start", metavar="V", help="first value (default: the input's least)")
    sweep.add_argument("--to", dest="end", metavar="V", help="last value (default: the input's greatest)")
    compare = add("compare", compare_command, "term by term, the difference between two settings", epilog="Settings are written NAME=VALUE.")
    compare.add_argument("id", metavar="ID")
    compare.add_argument("--a", nargs="*", default=[], metavar="NAME=V", help="the first setting")
    compare.add_argument("--b", nargs="*", default=[], metavar="NAME=V", help="the second setting")
    for name in TABLES:
        add(name, catalogue_command, f"the {name} of the catalogue, or one with the source of each number").add_argument(
            "id", nargs="?", metavar="ID")
    add("sources", sources_command, "the documents behind the numbers, or one of them").add_argument("id", nargs="?", metavar="ID")
    model_commands.add(add)
    return top


def main(argv=None):
    """Run one command; the exit status is 0, or 2 for something the user has to change."""
    argv = list(sys.argv[1:] if argv is None else argv)
    try:
        if len(argv) > 1 and argv[0] in ("show", "sweep", "compare") and not argv[1].startswith("-") and {"-h", "--help"} & set(argv):
            print(inputs_help(argv[1]))
            return 0
        top = parser()
        args, rest = top.parse_known_args(argv)
        if args.command is None:
            top.print_help()
            return 0
        if rest and args.command not in ("show", "sweep"):
            raise Refusal(f"{rest[0]!r} is not understood by `calc {args.command}`; see `calc {args.command} --help`")
        args.rest = rest
        if getattr(args, "points", None) is not None and not 2 <= args.points <= 1000:
            raise Refusal(f"points: {args.points} is outside 2 to 1000")
        print(args.run(args))
        return 0
    except Refusal as problem:
        print(problem, file=sys.stderr)
    except REFUSALS as problem:
        print(problem.args[0] if problem.args else problem, file=sys.stderr)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return 2
