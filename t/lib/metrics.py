"""Metrics as JSON, read by the parsers of Prometheus' client library.

    metrics.py text FILE           exposition format 0.0.4
    metrics.py openmetrics FILE    OpenMetrics
    metrics.py used FOLDER         the names that dashboard and rules there use
"""

import json
import re
import sys

from prometheus_client.openmetrics.parser import \
    text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as text

import yaml

NAME = re.compile(r"\bvod_\w+")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def parse(parser, path):
    families, samples, undocumented = {}, [], []
    for family in parser(read(path)):
        if family.name in families:
            sys.exit("%s stands in two places" % family.name)
        families[family.name] = family.type
        if not family.documentation.endswith("."):
            undocumented.append(family.name)
        for sample in family.samples:
            samples.append({"name": sample.name, "labels": sample.labels,
                            "value": sample.value})
    seen = [(s["name"], sorted(s["labels"].items())) for s in samples]
    for sample in seen:
        if seen.count(sample) > 1:
            sys.exit("%s: twice" % (sample,))
    return {"families": families, "samples": samples,
            "undocumented": undocumented}


def panels(found):
    """All panels, those in rows too."""
    for panel in found:
        yield panel
        yield from panels(panel.get("panels", []))


def names(expressions):
    return sorted({n for e in expressions for n in NAME.findall(e)})


def used(folder):
    dashboard = json.loads(read(folder + "/dashboard.json"))
    shown = [p for p in panels(dashboard["panels"]) if p["type"] != "row"]
    asked = [t["expr"] for p in shown for t in p["targets"]]

    alerts = yaml.safe_load(read(folder + "/alerts.yml"))
    rules = [r for g in alerts["groups"] for r in g["rules"]]
    incomplete = [r["alert"] for r in rules
                  if not r.get("annotations", {}).get("summary")
                  or not r["annotations"].get("description")
                  or "severity" not in r.get("labels", {})]

    return {"dashboard.json": {"names": names(asked), "panels": len(shown)},
            "alerts.yml": {"names": names(r["expr"] for r in rules),
                           "rules": len(rules), "incomplete": incomplete}}


def main():
    what, path = sys.argv[1:]
    result = used(path) if what == "used" else \
        parse(openmetrics if what == "openmetrics" else text, path)
    json.dump(result, sys.stdout)


main()
