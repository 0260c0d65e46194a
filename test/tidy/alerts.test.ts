// Guarantee: each alert says how urgent it is, what happened and what to do. Its runbook exists, names a
// metric of its expression, and quotes log lines as they are. promtool finds the rules valid, and a case
// raises each of them.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FILES, matches, type Node, ROOT, textOf, yamlOf } from "../../deploy/generate/sources.ts";

const RULES = "helm/annals/alerts.yml";
const CASES = "deploy/prometheus/alerts.test.yml";

const alerts = (yamlOf(RULES)["groups"] as Node[]).flatMap((group) => group["rules"] as Node[]);

describe.each(alerts.map((alert) => [alert["alert"] as string, alert]))("%s", (name, alert) => {
  const { summary = "", runbook = "" } = alert["annotations"] as Record<string, string>;

  test("has a severity and a summary", () => {
    expect(alert["labels"]).toStrictEqual({
      severity: expect.stringMatching(/^(critical|warning|info)$/),
    });
    expect(summary).toMatch(/^[A-Z"{].*\.$/);
  });

  test("has a runbook of its name, which names a metric that it is about", () => {
    const kebab = name.replaceAll(/(?!^)([A-Z])/g, "-$1").toLowerCase();
    expect(runbook).toBe(`docs/runbooks/${kebab.replace(/-(fast|slow)$/, "")}.md`);
    const page = textOf(runbook);
    for (const part of ["**Meaning.**", "**Look at**", "**Do**"]) expect(page).toContain(part);
    const metrics = String(alert["expr"])
      .match(/\b((annals|http|db|nodejs)_\w+|up)\b(?=[{[) ])/g)
      ?.map((metric) => metric.replace(/_(bucket|count|sum)$/, ""));
    expect(metrics?.some((metric) => page.includes(`\`${metric}`))).toBe(true);
  });

  test("has a case that raises it", () => {
    const cases = (yamlOf(CASES)["tests"] as Node[]).flatMap(
      (one) => (one["alert_rule_test"] ?? []) as Node[],
    );
    const raised = cases.filter((one) => one["alertname"] === name && one["exp_alerts"].length > 0);
    expect(raised).not.toStrictEqual([]);
  });
});

test("every runbook is of an alert", () => {
  const named = alerts.map((alert) => String(alert["annotations"]["runbook"]));
  const pages = FILES.map(({ path }) => path).filter((path) => path.startsWith("docs/runbooks/"));
  expect(pages.filter((path) => !named.includes(path))).toStrictEqual([]);
});

test("a line of a log that a runbook quotes is one that the code writes", () => {
  const written = textOf("test/tidy/strings.md");
  const quoted = FILES.filter(({ path }) => path.startsWith("docs/runbooks/")).flatMap(
    ({ path, text }) => {
      const lines = matches(text, /^(.*\blogs?\b.*)$/gim).join("\n");
      // Two words at least, and no command or request.
      const texts = matches(lines, /`((?!annals |GET )[a-zA-Z][^`/]* [^`/]*)`/g);
      return texts.map((line) => ({ path, line }));
    },
  );
  expect(quoted.filter(({ line }) => !written.includes(line))).toStrictEqual([]);
  expect(quoted.length).toBeGreaterThan(20);
});

test("promtool finds the rules valid, and each case as it is written", () => {
  const run = spawnSync("promtool", ["test", "rules", join(ROOT, CASES)], { encoding: "utf8" });
  // Debian's package `prometheus` has it.
  if (run.error)
    return void process.stderr.write(`not run, there is no promtool on the PATH: ${CASES}\n`);
  expect(run.stdout + run.stderr).not.toContain("FAILED");
  expect(run.status).toBe(0);
});
