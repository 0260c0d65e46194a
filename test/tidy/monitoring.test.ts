// Guarantee: the alerts of docs/operating.md exist, and no alert and no panel uses a metric that no program
// reports: it would never fire.

import { expect, test } from "vitest";
import { METRICS, type Node, textOf, yamlOf } from "./deployment.ts";

const ALERTS = (yamlOf("deploy/prometheus/alerts.yml")["groups"] as Node[]).flatMap(
  (group) => group["rules"] as Node[],
);

/** Of prom-client, and of Prometheus itself. */
const OF_OTHERS =
  /^(nodejs_eventloop_lag_p99_seconds|process_(cpu_seconds_total|resident_memory_bytes)|up)$/;

/** The words of an expression that name metrics: no label, no function, no keyword. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}/g, "")
    .replaceAll(/\b(by|without) \([^)]*\)/g, "")
    .replaceAll(/\[[^\]]*\]/g, "");
  const words = bare.match(/\b[a-z]\w*\b(?!\s*\()/gi) ?? [];
  return words.filter((word) => !/^(by|and|or|unless|offset|\d+[smhd])$/.test(word));
}

test("every alert of docs/operating.md is a rule with its name, and every rule is listed there", () => {
  const section = /^## Alerts$[^]*?(?=^## )/m.exec(textOf("docs/operating.md"))?.[0] ?? "";
  const rows = [...section.matchAll(/^\| ([A-Z][^|]*?) \|/gm)].map(([, name = ""]) => name);
  const named = rows
    // The heading, and the alert for the exporter of the database's machine.
    .filter((row) => row !== "Alert" && row !== "Disk")
    .map((row) =>
      row.replaceAll(/(^| )(\w)/g, (_all, _space, letter: string) => letter.toUpperCase()),
    );
  expect(ALERTS.map((rule) => rule["alert"])).toStrictEqual(named);
});

test("alerts use metrics that are reported", () => {
  const asked = ALERTS.flatMap((rule) => metricsIn(String(rule["expr"])));
  expect(asked.length).toBeGreaterThan(8);
  expect(asked.filter((name) => !METRICS.has(name) && !OF_OTHERS.test(name))).toStrictEqual([]);
});

test("the dashboard uses metrics that are reported, and no two panels have the same title", () => {
  const dashboard = JSON.parse(textOf("deploy/grafana/annals.json")) as Node;
  const panels = dashboard["panels"] as Node[];
  const expressions = panels.flatMap((panel) => (panel["targets"] ?? []) as Node[]);
  const asked = expressions.flatMap((target) => metricsIn(String(target["expr"])));
  expect(asked.length).toBeGreaterThan(20);
  expect(asked.filter((name) => !METRICS.has(name) && !OF_OTHERS.test(name))).toStrictEqual([]);
  const titles = panels.map((panel) => String(panel["title"]));
  expect(titles).toHaveLength(new Set(titles).size);
});
