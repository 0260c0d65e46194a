// Guarantee: each alert says how urgent it is and what happened. The section that it leads to exists, names
// a metric of its expression, and quotes log lines as they are. promtool finds the rules valid, and a case
// raises each of them.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FILES, matches, type Node, PRODUCT, ROOT, yamlOf } from "../../deploy/generate/sources.ts";

const RULES = "helm/annals/alerts.yml";
const CASES = "deploy/prometheus/alerts.test.yml";

const alerts = (yamlOf(RULES)["groups"] as Node[]).flatMap((group) => group["rules"] as Node[]);

/** What the pages of alerts say of each, by the address that its annotation has. */
const SECTIONS = FILES.filter(({ path }) => /^docs\/operators\/alerts-\w+\.md$/.test(path)).flatMap(
  ({ path, text }) =>
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [title = ""] = section.split("\n");
        return {
          address: `${path}#${title.toLowerCase().replaceAll(" ", "-")}`,
          text: section,
        };
      }),
);

describe.each(alerts.map((alert) => [alert["alert"] as string, alert]))("%s", (name, alert) => {
  const { summary = "", runbook_url = "" } = alert["annotations"] as Record<string, string>;

  test("has a severity and a summary", () => {
    expect(alert["labels"]).toStrictEqual({
      severity: expect.stringMatching(/^(critical|warning|info)$/),
    });
    expect(summary).toMatch(/^[A-Z"{].*\.$/);
  });

  test("has a section of its name in the pages of alerts, which names a metric that it is about", () => {
    const kebab = name.replaceAll(/(?!^)([A-Z])/g, "-$1").toLowerCase();
    const section = SECTIONS.find(({ address }) => address === runbook_url);
    expect(section?.address.split("#")[1]).toBe(kebab.replace(/-(fast|slow)$/, ""));
    for (const part of ["**Check.**", "**Do.**"]) expect(section?.text).toContain(part);
    const metrics = String(alert["expr"])
      .match(/\b((annals|http|db|nodejs)_\w+|up)\b(?=[{[) ])/g)
      ?.map((metric) => metric.replace(/_(bucket|count|sum)$/, ""));
    expect(metrics?.some((metric) => section?.text.includes(`\`${metric}`))).toBe(true);
  });

  test("has a case that raises it", () => {
    const cases = (yamlOf(CASES)["tests"] as Node[]).flatMap(
      (one) => (one["alert_rule_test"] ?? []) as Node[],
    );
    const raised = cases.filter((one) => one["alertname"] === name && one["exp_alerts"].length > 0);
    expect(raised).not.toStrictEqual([]);
  });
});

test("every section is of an alert", () => {
  const named = alerts.map((alert) => String(alert["annotations"]["runbook_url"]));
  const addresses = SECTIONS.map(({ address }) => address);
  expect(addresses.filter((address) => !named.includes(address))).toStrictEqual([]);
  expect(addresses.length).toBeGreaterThan(40);
});

test("a line of a log that a section quotes is one that the code writes", () => {
  const written = PRODUCT.map(({ text }) => text.replaceAll(/["`]\s*\+\s*["`]/g, "")).join("\n");
  const quoted = SECTIONS.flatMap(({ address, text }) => {
    const lines = matches(text, /^(.*\blogs?\b.*)$/gim).join("\n");
    // Two words at least, and no command, request or statement.
    const texts = matches(lines, /`((?!annals |GET |SELECT |VACUUM )[a-zA-Z][^`/]* [^`/]*)`/g);
    return texts.map((line) => ({ address, line }));
  });
  // A value in it is written as a sign of omission.
  const isWritten = (line: string) => line.split("…").every((part) => written.includes(part));
  expect(quoted.filter(({ line }) => !isWritten(line))).toStrictEqual([]);
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
