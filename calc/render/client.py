"""What all pages' script shares and is made from Python: the lists that picks offer, and the words it may say.

The build writes `module()` as `assets/est-data.mjs`, so that neither list is repeated in every widget.
"""

import json

from calc import estimator as estimators
from calc.catalog import CATALOGUES
from calc.render import own
from calc.render.words import WORDS


def module():
    """The text of the JavaScript module: `groups`, `masks`, `offers`, `words`."""
    groups, offers, lists = {}, {}, {}
    for kind, table in CATALOGUES.items():
        for id, record in table.items():
            group = record.raw.get("family") or record.raw.get("vendor") or record.raw.get("kind") or ""
            groups.setdefault(kind, {}).setdefault(str(group), []).append([id, record.name])
    for id in estimators.ids():
        for name, form in estimators.find(id).inputs.items():
            if form.kind == "pick":
                kind = next(k for k, t in CATALOGUES.items() if t is form.catalogue)
                order = [i for rows in groups[kind].values() for i, _ in rows]
                allowed = set(form.choices)
                mask = kind + ":" + ("" if len(allowed) == len(order) else "".join("1" if i in allowed else "0" for i in order))
                offers[f"{id}.{name}"] = lists.setdefault(mask, len(lists))
    words = {k.removeprefix("client."): v for k, v in WORDS.items() if k.startswith("client.")}
    words["static"] = WORDS["static"]
    values = {"groups": {k: list(g.items()) for k, g in groups.items()}, "masks": list(lists), "offers": offers, "words": words}
    return _constants(values)


def own_form():
    """The text of the module with the dialog for what a reader brings, which is fetched when it is opened."""
    return _constants({"ownForm": own.dialog()})


def _constants(values):
    return "".join(f"export const {name} = {json.dumps(value, ensure_ascii=False, separators=(',', ':'))};\n" for name, value in values.items())
