// Guarantee: what an operator can set or watch is on a page of docs/operators, in a row of a table that
// begins with its name, and nothing stands there that is not so. The tables of the services' settings are
// generated; OF_CLIENTS, which every program accepts too, is checked here. No alert and no panel uses a
// metric that no program reports.

import { describe, expect, test } from "vitest";
import { OF_CLIENTS } from "../../deploy/generate/setting-lists.ts";
import {
  FILES,
  LOCAL_SETTINGS,
  matches,
  METRICS,
  type Node,
  PRODUCT,
  SERVICES,
  textOf,
  yamlOf,
} from "../../deploy/generate/sources.ts";

/** The names in the first column of a page's tables, in backquotes; a row may name several. */
const rowsOf = (page: string): string[] =>
  matches(textOf(page), /^\| *((?:`[\w{}=",*]+`[ ,and]*)+)\|/gm).flatMap((cell) =>
    matches(cell, /`(\w+)/g),
  );

test("each setting of the local stack has a row in local-stack.md, and each row is one", () => {
  const rows = rowsOf("docs/operators/local-stack.md").filter((name) => /^[A-Z]+_/.test(name));
  expect(rows.toSorted()).toStrictEqual(LOCAL_SETTINGS.toSorted());
  expect(rows.length).toBeGreaterThan(5);
});

describe("metrics", () => {
  const names = [...METRICS.keys()];

  test("each has a row in metrics.md, and each row is one", () => {
    const constructed = PRODUCT.flatMap(({ text }) =>
      matches(text, /new (Counter|Gauge|Histogram)\b/g),
    );
    expect(names).toHaveLength(constructed.length);
    expect(rowsOf("docs/operators/metrics.md").toSorted()).toStrictEqual(names.toSorted());
  });

  test("each has a name of the product's domain or of OpenTelemetry", () => {
    const shape = /^(annals_\w+|(http|rpc|db|messaging)_\w+)$/;
    expect(names.filter((name) => !shape.test(name))).toStrictEqual([]);
  });
});

describe("alerts and dashboards", () => {
  const groups = yamlOf("helm/annals/alerts.yml")["groups"] as Node[];
  const alerts = groups.flatMap((group) => group["rules"] as Node[]);
  const dashboards = FILES.filter(({ path }) => path.startsWith("helm/annals/dashboards/")).map(
    ({ text }) => JSON.parse(text) as { title: string; panels: Node[] },
  );
  const targets = dashboards.flatMap(({ panels }) =>
    panels.flatMap((panel) => (panel["targets"] ?? []) as Node[]),
  );

  /** What is scraped: ours, those of prom-client, and Prometheus's own. */
  const scraped = new Set(
    [...METRICS].flatMap(([name, kind]) =>
      kind === "Histogram" ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`) : name,
    ),
  );
  const OF_OTHERS =
    /^(nodejs_eventloop_lag_p99_seconds|process_(cpu_seconds_total|resident_memory_bytes)|up)$/;

  /** The words of an expression that name metrics: no label, no range, no function, no keyword. */
  function metricsIn(expression: string): string[] {
    const bare = expression.replaceAll(
      /\{[^}]*\}|\b(by|without) \([^)]*\)|\bon\(\)|\[[^\]]*\]/g,
      "",
    );
    const words = bare.match(/\b[a-z]\w*\b(?!\s*\()/gi) ?? [];
    return words.filter((word) => !/^(by|and|or|on|unless|offset|\d+[smhd])$/.test(word));
  }

  test("every alert of alerts.md is a rule with its name, and every rule is listed there", () => {
    const named = matches(
      textOf("docs/operators/alerts.md"),
      /^\| \[?([A-Z][^|\]]*?)(?:\]\([^)]*\))? \|/gm,
    )
      // The heading, and the alert for the exporter of the database's machine.
      .filter((row) => row !== "Alert" && row !== "Disk")
      .map((row) => row.replaceAll(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase()));
    expect(alerts.map((rule) => rule["alert"])).toStrictEqual(named);
  });

  test.each([
    ["alerts", alerts, 8],
    ["panels", targets, 100],
  ] as const)("the %s use metrics that are reported", (_, asking, least) => {
    const asked = asking.flatMap((each) => metricsIn(String(each["expr"])));
    expect(asked.length).toBeGreaterThan(least);
    expect(asked.filter((name) => !scraped.has(name) && !OF_OTHERS.test(name))).toStrictEqual([]);
  });

  test("there is an overview, a dashboard of each service and one of PostgreSQL", () => {
    const names = FILES.flatMap(({ path }) =>
      matches(path, /^helm\/annals\/dashboards\/(.*)\.json$/g),
    );
    const wanted = ["annals", ...[...SERVICES, "postgresql"].map((name) => `annals-${name}`)];
    expect(names.toSorted()).toStrictEqual(wanted.toSorted());
  });

  test.each(dashboards)("no two panels of $title have the same title", ({ panels }) => {
    const titles = panels.map((panel) => String(panel["title"]));
    expect(titles).toHaveLength(new Set(titles).size);
  });
});

test.each(OF_CLIENTS)("%s is still read by an example or by compose", (name) => {
  const examples = FILES.filter(({ path }) =>
    /^(docs\/receivers|test\/example|deploy\/compose)/.test(path),
  );
  expect(examples.some(({ text }) => text.includes(name))).toBe(true);
});
