"""Turn a folder of collected fact tables (JSON) into the catalogue of `calc` (TOML).

    python scripts/import_facts.py FOLDER

FOLDER holds models.json, accelerators.json, links.json, fabric.json and workloads.json. The result is calc/data/*.toml and
tests/data/model_counts.json (the tables' own recount of the parameters, an oracle for the tests). The same input gives the same bytes.

A value whose source is "memory" has no document: it is left out and listed on the standard output.
"""
import json
import pathlib
import re
import sys
import tomllib

from fact_sources import NOTES, Sources
from toml_writer import quantity, write

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
DATA, ORACLE = ROOT / "calc" / "data", ROOT / "tests" / "data" / "model_counts.json"
left_out = []


def slug(text):
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def attribute(text):
    """A key that can be an attribute: `400G` is `at_400g`."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return name if name[0].isalpha() else "at_" + name


class Sourced:
    """Makes `[value, source id, where]` from one record's numbers, and leaves out what no document confirms."""

    def __init__(self, record, sources):
        self.record, self.sources, self.out = record, sources, {}

    def put(self, key, number, unit, source, into=None):
        if number is None:
            return
        found = self.sources.find(source, self.record)
        if found is None:
            left_out.append(f"{self.record}.{key}")
            return
        found = [found[0], found[1] or self.out.get("note", "")] if found[0] == "arithmetic" else found
        (self.out if into is None else into)[key] = [quantity(number, unit) if unit else number, *found]

    def spread(self, key, number, unit, source, into=None):
        """A range becomes two fields, `_low` and `_high`; equal ends become one, and a range from zero is its upper end."""
        if isinstance(number, list):
            low, high = number
            if low != high:
                self.put(key + "_low", low or None, unit, source, into)
                self.put(key + "_high", high, unit, source, into)
                return
            number = low
        self.put(key, number, unit, source, into)


def accelerators(table, sources):
    for device in table["devices"]:
        keys = device["source"]

        def source(*names, keys=keys):
            return next((table["sources"][keys[n]["key"]] for n in names if n in keys), "memory")

        s = Sourced(device["id"], sources)
        for plain in ("name", "vendor", "kind", "status"):
            s.out[plain] = device[plain]
        found = sources.find(source("released"), device["id"])
        if device["released"] and found:
            s.out |= {"released": device["released"], "released_source": found[0]}
        elif device["released"]:
            left_out.append(f"{device['id']}.released")
        note = NOTES.get(device["id"], device["note"])
        if note:
            s.out["note"] = note
        s.put("memory", device["memory_bytes"], "B", source("memory"))
        s.put("memory_reported", device["memory_reported_bytes"], "B in MiB", source("reported"))
        s.put("memory_bandwidth", device["memory_bandwidth_Bps"], "B/s", source("bandwidth", "memory"))
        s.put("l2", device["l2_or_llc_bytes"], "B in MiB", source("l2"))
        s.put("compute_units", device["compute_units"], "", source("sms"))
        s.put("clock", device["clock_mhz"], "MHz", source("clock"))
        s.put("tdp", device["tdp_w"], "W", source("tdp"))
        s.put("scale_up_domain", device["scale_up_domain"], "", source("domain"))
        s.put("nic", device["scale_out_nic_gbps_per_device"], "Gbit/s", source("nic"))
        s.out["peak"] = peak = {}
        for precision, rate in device["peak_tflops_dense"].items():
            s.put(precision, rate, "TFLOP/s", source(precision, "peak"), peak)
        s.out["scale_up"] = up = {}
        if device["scale_up"]:
            s.put("per_direction", device["scale_up"]["per_direction_Bps"], "B/s", source("scale_up"), up)
            s.put("bidirectional", device["scale_up"]["bidirectional_Bps"], "B/s", source("scale_up"), up)
            if up:
                s.out["scale_up"] = {"name": device["scale_up"]["name"]} | up
        s.out["pcie"] = pcie = {}
        if device["pcie"]:
            s.put("generation", device["pcie"]["gen"], "", source("pcie"), pcie)
            s.put("lanes", device["pcie"]["lanes"], "", source("pcie"), pcie)
        yield device["id"], s.out


def achieved(links, sources):
    """Measured matrix-multiplication rates, per device."""
    rates = {}
    for row in links["achieved_matmul"]:
        s = Sourced(row["device"], sources)
        s.put(row["precision"], row["tflops"], "TFLOP/s", row["source"], rates.setdefault(row["device"], {}))
    return rates


def prices(table, sources):
    for device in table["devices"]:
        for hint in device["price_hints"]:
            s = Sourced(device["id"], sources)
            s.out |= {"accelerator": device["id"], "kind": hint["kind"], "date": hint["date"]}
            s.spread("price", hint["usd_per_gpu_hour"], "$/h", hint["source"])
            yield f"{device['id']}-{slug(hint['kind'])}", s.out


def links(table, sources):
    for row in table["links"]:
        s = Sourced(row["id"], sources)
        s.out |= {"kind": row["kind"], "status": row["status"]}
        note = NOTES.get(row["id"], row["note"])
        if note:
            s.out["note"] = note
        s.put("bandwidth", row["per_direction_Bps"], "B/s", row["source"])
        s.put("bandwidth_bidirectional", row["bidirectional_Bps"], "B/s", row["source"])
        s.put("latency", row["latency_s"], "s", row["latency_source"])
        yield row["id"], s.out
    for row in table["wan"]:
        s = Sourced(row["id"], sources)
        s.out |= {"kind": "wide-area", "status": "shipping"}
        if "rtt_s" in row:
            s.spread("round_trip", row["rtt_s"], "s", row["source"])
        s.put("round_trip_floor", row.get("floor_s"), "s", row["source"])
        s.put("speed", row.get("metres_per_s"), "m/s", row["source"])
        yield row["id"], s.out


def energy(table, sources):
    for row in table["energy"]:
        if row["id"].startswith("board-"):   # rated power over a peak: computed where it is needed
            continue
        s = Sourced(row["id"], sources)
        s.out["per"] = "bit" if row["id"].endswith("-bit") else "access" if row["id"].startswith(("sram", "dram")) else "operation"
        s.spread("energy", row["pj"], "pJ", row["source"])
        if "energy" in s.out or "energy_low" in s.out:
            yield row["id"], s.out


UNIT_IN_NAME = {"us": "us", "ns": "ns", "MHz": "MHz", "KiB": "KiB", "MiB": "MiB", "MB": "MB", "GB": "GB", "GBps": "GB/s", "TBps": "TB/s",
                "Gbps": "Gbit/s", "Tbps": "Tbit/s", "W": "W", "kW": "kW", "m": "m", "bit": "bit", "cycles": "", "pJ_per_bit": "pJ"}
NAME = re.compile(r"(.+?)_(pJ_per_bit|us|ns|MHz|KiB|MiB|MB|GBps|TBps|Gbps|Tbps|GB|kW|W|m|bit|cycles)(?:_(.+))?$")


def fabric(table, sources):
    """Rows with the unit in the field's name (`latency_us`) become quantities (`latency = "6.6 us"`)."""
    for row in table["rows"]:
        s = Sourced(row["id"], sources)
        for key, value in row.items():
            if value is None or key in ("id", "source", "note"):
                continue
            match = NAME.match(key)
            base, unit, rest = match.groups() if match else (key, None, None)
            if unit == "cycles":
                rest = "_".join(x for x in ("cycles", rest) if x)
            elif unit == "pJ_per_bit":
                rest = "_".join(x for x in ("per_bit", rest) if x)
            name = "_".join(x for x in (base, rest) if x)
            unit = UNIT_IN_NAME.get(unit, "")
            if isinstance(value, dict):
                inner = s.out.setdefault(name, {})
                for k, v in value.items():
                    s.put(attribute(k), v, unit, row["source"], inner)
            elif isinstance(value, str):
                s.out[name] = value
            else:
                s.spread(name, value, unit, row["source"])
        note = NOTES.get(row["id"], row["note"])
        if note:
            s.out["note"] = note
        yield row["id"], s.out


def without_nulls(value):
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    return value


def models(table, sources):
    for model in table["models"]:
        published, skip = model["published"], ("id", "published", "computed", "sources", "released", "released_source")
        out = without_nulls({k: v for k, v in model.items() if k not in skip})
        if "source" in out.get("vision", {}):
            del out["vision"]["source"]
        source, where = sources.model(model)
        out |= {"source": source, "where": where} if where else {"source": source}
        if model["released"] and model["released_source"]:
            out |= {"released": model["released"], "released_source": "hf-repository"}
        elif model["released"]:
            left_out.append(f"{model['id']}.released")
        s = Sourced(model["id"], sources)
        s.put("total", published["total_params"], "", published["total_source"])
        s.put("active", published["active_params"], "", published["active_source"])
        if "total" in s.out:
            s.out["exact"] = published["exact"]
        s.out["extras"] = published["extras"]
        if published.get("note"):
            s.out["note"] = published["note"]
        yield model["id"], out | {"published": s.out}


WORKLOAD_UNIT = {"span_s": ("span", "s"), "rate_per_s": ("rate", "1/s")}
UNKNOWN = {("mooncake-synthetic", "prompt_mean"), ("mooncake-synthetic", "output_mean")}  # 0 and 1 stand there for "unknown"


def workloads(table, sources):
    for row in [*table["workloads"], {"id": "tracelab-pool", "name": "TraceLab, all sessions", **table["tracelab_pool"]}]:
        s = Sourced(row["id"], sources)
        for key, value in row.items():
            if key == "id" or value is None or (row["id"], key) in UNKNOWN:
                continue
            if isinstance(value, str):
                s.out[key] = value
                continue
            name, unit = WORKLOAD_UNIT.get(key, (key, ""))
            s.put(name, int(value) if float(value).is_integer() else value, unit, "workload " + row["id"])
        yield row["id"], s.out


HEADING = {
    "accelerators": ["Peaks are dense, without structured sparsity; `peak.int8` is integer operations per second, a multiply-add as two.",
                     "`memory` is the maker's label x 10^9 bytes, `memory_reported` what the driver reports; rates are decimal."],
    "models": ["One `source` for the shape of a record; `published` counts have their own.", ],
    "links": ["`bandwidth` is one way."],
}


def lay_over(tables, added):
    """Add the values of added_facts.toml; a value that is there already is an error."""
    limits, special, capabilities = added.pop("per_unit"), added.pop("special_functions"), added.pop("compute_capability")

    def merge(into, fields, path):
        for key, value in fields.items():
            if isinstance(value, dict):
                merge(into.setdefault(key, {}), value, f"{path}.{key}")
            elif key in into:
                raise ValueError(f"{path}.{key}: the tables give {into[key]}")
            else:
                into[key] = value

    for name, records in added.items():
        merge(tables.setdefault(name, {}), records, name)
    for capability, devices in capabilities.items():
        threads, blocks, shared = limits[capability]
        document = ["cccl-arch-traits", "arch_traits of sm_" + capability.replace(".", "")]
        for device in devices:
            record = tables["accelerators"][device]
            record |= {"compute_capability": capability, "compute_capability_source": "nvidia-cuda-gpus"}
            per_unit = {"threads": threads, "blocks": blocks, "registers": 65536, "shared_memory": f"{shared} KiB"}
            record["per_unit"] = {name: [value, *document] for name, value in per_unit.items()}
            if capability in special:
                record["per_unit"]["special_functions_per_clock"] = special[capability]


def main(folder):
    sources = Sources()
    facts = {name: json.loads((folder / f"{name}.json").read_text()) for name in ("models", "accelerators", "links", "fabric", "workloads")}
    tables = {"models": dict(models(facts["models"], sources)), "accelerators": dict(accelerators(facts["accelerators"], sources)),
              "links": dict(links(facts["links"], sources)), "fabric": dict(fabric(facts["fabric"], sources)),
              "energy": dict(energy(facts["links"], sources)), "prices": dict(prices(facts["accelerators"], sources)),
              "workloads": dict(workloads(facts["workloads"], sources))}
    for device, rates in achieved(facts["links"], sources).items():
        tables["accelerators"][device]["achieved_matmul"] = rates
    tables["sources"] = sources.records()
    lay_over(tables, tomllib.loads((HERE / "added_facts.toml").read_text()))
    tables["sources"] = dict(sorted(tables["sources"].items()))
    DATA.mkdir(parents=True, exist_ok=True)
    for name, records in tables.items():
        (DATA / f"{name}.toml").write_text(write(records, HEADING.get(name, ())))
    ORACLE.write_text(json.dumps({m["id"]: m["computed"] for m in facts["models"]["models"]}, indent=1) + "\n")
    print(", ".join(f"{len(records)} {name}" for name, records in tables.items()))
    print("left out by the tables, no document:", ", ".join(left_out))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
