"""The records behind the picks: what the catalogue holds of the chosen model, accelerator or link, each value with its source."""

from calc import format
from calc.catalog import SOURCES, fields
from calc.render.words import capital, esc, say, tag
from calc.units import unit


def cards(view):
    """One table for each pick of the estimator, in the order of the form."""
    out = []
    for name, form in view.estimator.inputs.items():
        if form.kind == "pick":
            record = form.catalogue[view.answer.inputs[name]]
            rows = [_row(field, value) for field, value in fields(record).items() if _is_number(value["value"])]
            caption = tag("caption", esc(f"{capital(form.label)}: {record.name}"))
            head = tag("tr", "".join(tag("th", esc(say(f"record_{c}")), scope="col") for c in ("field", "value", "source")))
            out.append(tag("table", caption + tag("thead", head) + tag("tbody", "\n".join(rows)), class_="est-records"))
    return "\n".join(out) or tag("p", say("records_none"))


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _row(field, value):
    number = value["value"] * unit(value["unit"])[0]
    source = SOURCES.get(value["source"], {})
    title = esc(source.get("title", value["source"]))
    url = source.get("url", "")
    where = f", {esc(value['where'])}" if value["where"] and value["where"] != field else ""
    link = tag("a", title, href=url) if url.startswith(("https://", "http://")) else title
    words = field.replace("_", " ").replace(".", ", ")
    return tag("tr", "\n".join([tag("th", esc(words), scope="row"), tag("td", esc(format.show(number, value["unit"], given=True)), class_="est-v"),
                                tag("td", link + where)]))
