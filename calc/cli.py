"""The command line: `python -m calc list|show|sweep|compare|models|accelerators|links|sources ...`.

Bad input exits 2 with one line that names the input, what was given and what is allowed.
"""

import argparse
import os
import sys

from calc import __version__, model_commands, output, report
from calc import estimator as estimators
from calc.catalog import ACCELERATORS, LINKS, MODELS, SOURCES, WORKLOADS, MissingValue, UnknownId
from calc.estimator import InputError, echo
from calc.quantity import DimensionError
from calc.units import UnitError

TABLES = {"models": MODELS, "accelerators": ACCELERATORS, "links": LINKS, "workloads": WORKLOADS}
REFUSALS = (InputError, UnitError, MissingValue, UnknownId, DimensionError)


class Refusal(Exception):
    """Something the user has to change; printed as one line."""


class Once(argparse.Action):
    """Store a value; refuse an option that was given before."""

    def __call__(self, parser, namespace, values, option_string=None):
        """Store the value of one option or argument."""
        given = vars(namespace).setdefault("given", set())
        if option_string and self.dest in given:
            raise Refusal(f"{option_string.lstrip('-')}: given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """argparse whose errors are one line, and whose options are written in full and once."""

    def __init__(self, **more):
        super().__init__(**more, allow_abbrev=False)
        self.register("action", None, Once)

    def error(self, message):
        """Refuse in one line, without the usage."""
        raise Refusal(message)


def named(words):
    """{name: value} of `--name value` and `--name=value`."""
    found, words = {}, list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("--") or word == "--":
            raise Refusal(f"{echo(word)} is not understood; inputs are written --NAME VALUE")
        name, equals, value = word[2:].partition("=")
        if not equals:
            if not words:
                raise Refusal(f"{name[:40]}: no value was given")
            value = words.pop(0)
        name = name.replace("-", "_")
        if name in found:
            raise Refusal(f"{name[:40]}: given twice")
        found[name] = value
    return found


def pairs(words, which):
    """{name: value} of NAME=VALUE words after --a or --b."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise Refusal(f"{which}: {echo(word)} is not NAME=VALUE")
        name = name.replace("-", "_")
        if name in found:
            raise Refusal(f"{which}: {name[:40]} is given twice")
        found[name] = value
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
    points = None if args.points is None else model_commands.count("points", args.points, 2, estimators.MOST_POINTS)
    data, limited = report.swept(args.id, args.over, points, args.start, args.end, named(args.rest))
    return output.sweep(data, limited, args.format)


def compare_command(args):
    return output.comparison(report.compare_dict(args.id, pairs(args.a, "a"), pairs(args.b, "b")), args.format)


def catalogue_command(args):
    table = TABLES[args.command]
    if args.id is None:
        return output.catalogue(table, args.format)
    return output.record(report.record_dict(table[args.id]), args.format)


def sources_command(args):
    if args.id is None:
        rows = [{"id": i, **SOURCES[i]} for i in SOURCES]
        return output.table(rows, ("id", "title", "publisher", "kind", "url"), args.format)
    return output.plain_record({"id": args.id.strip().lower(), **SOURCES[args.id]}, args.format)


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
    sweep.add_argument("--points", metavar="N", help="how many values (default: the slider's own steps)")
    sweep.add_argument("--from", dest="start", metavar="V", help="first value (default: the input's least)")
    sweep.add_argument("--to", dest="end", metavar="V", help="last value (default: the input's greatest)")
    compare = add("compare", compare_command, "term by term, the difference between two settings", epilog="Settings are written NAME=VALUE.")
    compare.add_argument("id", metavar="ID")
    compare.add_argument("--a", nargs="*", action="extend", default=[], metavar="NAME=V", help="the first setting")
    compare.add_argument("--b", nargs="*", action="extend", default=[], metavar="NAME=V", help="the second setting")
    for name in TABLES:
        add(name, catalogue_command, f"the {name} of the catalogue, or one with the source of each number").add_argument(
            "id", nargs="?", metavar="ID")
    add("sources", sources_command, "the documents behind the numbers, or one of them").add_argument("id", nargs="?", metavar="ID")
    model_commands.add(add)
    return top


def id_first(argv):
    """Refuse an estimator's inputs that stand before its id, where argparse would take a value for the id."""
    words = argv[1:]
    while words and words[0].startswith("-") and words[0] not in ("-h", "--help"):
        name, equals, _ = words[0].partition("=")
        if name not in ("--format", "--over", "--points", "--from", "--to"):
            raise Refusal(f"{echo(name)}: the ID comes first: calc {argv[0]} ID {'--a NAME=V' if argv[0] == 'compare' else '--NAME VALUE'} ...")
        words = words[1 if equals else 2:]


def one_line(message):
    """A message without line breaks and control characters, and without words of endless length."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(message).replace("\u00a0", " "))
    return " ".join(word if len(word) <= 120 else word[:40] + "..." for word in shown.split(" "))


def run(argv):
    """What one command prints, or None where argparse or the help has printed already."""
    if argv and argv[0].startswith("-") and argv[0] not in ("-h", "--help", "--version"):
        raise Refusal(f"{echo(argv[0])} is not understood; a COMMAND comes first, see `calc --help`")
    if argv and argv[0] in ("show", "sweep", "compare"):
        id_first(argv)
        if len(argv) > 1 and not argv[1].startswith("-") and {"-h", "--help"} & set(argv):
            return inputs_help(argv[1])
    top = parser()
    args, rest = top.parse_known_args(argv)
    if args.command is None:
        return top.format_help().rstrip("\n")
    if rest and args.command not in ("show", "sweep"):
        raise Refusal(f"{echo(rest[0])} is not understood by `calc {args.command}`; see `calc {args.command} --help`")
    args.rest = rest
    text = args.run(args)
    # Spaces that keep a number and its unit on one line of a page would hide both from a search in a terminal.
    return text if args.format == "json" else text.replace("\u00a0", " ")


def unwritable(problem):
    """The exit status when the standard output takes no more: 0 for a reader that has seen enough, else 1 and one line."""
    # What is still in the buffer would be written, and fail, once more when the interpreter ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(problem, BrokenPipeError):
        return 0
    print(f"the output cannot be written: {problem.strerror or problem}", file=sys.stderr)
    return 1


def main(argv=None):
    """Run one command; the exit status is 0, 2 for something the user has to change, or 1 when nothing can be printed."""
    if hasattr(sys.stdout, "reconfigure"):  # UTF-8 in files and pipes; a terminal shows a mark for what it cannot show
        sys.stdout.reconfigure(**({} if sys.stdout.isatty() else {"encoding": "utf-8"}), errors="replace")
    try:
        text = run(list(sys.argv[1:] if argv is None else argv))
    except (Refusal, *REFUSALS) as problem:
        print(one_line(str(problem) or type(problem).__name__), file=sys.stderr)
        return 2
    except SystemExit as done:  # argparse has printed its help or the version
        text, status = None, done.code
    else:
        status = 0
    try:
        if text is not None:
            print(text)
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as problem:
        return unwritable(problem)
    return status
