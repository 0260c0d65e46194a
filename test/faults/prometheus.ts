// A real Prometheus beside the system of a test, with the shipped alerts at a faster pace, and what it says.
// Used by alerts.test.ts.

import type { Stack } from "@annals/local";
import { eventually } from "@annals/testing";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const CHART = join(import.meta.dirname, "../../helm/annals");

/** Between two scrapes and two evaluations. Whatever has a window or a `for` of minutes takes seconds. */
const INTERVAL_S = 1;
const WINDOW = "15s";
/** Of the window in which no connection may be free. */
const SHORT_WINDOW = "3s";
const FOR = "2s";
/** In place of a minute that a notice, a cursor or a delivery may wait. */
const WAIT_S = 3;
/** In place of the hour that an anchor may be overdue. */
const ANCHOR_S = 60;

const RAISED_WITHIN_MS = 90_000;
/** A window, the end of a worker's interval of ten seconds, and some. */
const CLEARED_WITHIN_MS = 90_000;

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export type Prometheus = NonNullable<Awaited<ReturnType<typeof startPrometheus>>>;

/** Undefined where none is installed. */
export async function startPrometheus(stack: Stack) {
  const rules = join(stack.dataDir, "run/alerts.yml");
  writeFileSync(rules, faster(readFileSync(join(CHART, "alerts.yml"), "utf8")));
  const url = await stack.observe({ intervalS: INTERVAL_S, rules });
  if (url === undefined) return undefined;
  const query = async (expression: string): Promise<Sample[]> => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data, error, status } = (await answer.json()) as {
      status: string;
      error?: string;
      data: { result: { metric: Sample["metric"]; value: [number, string] }[] };
    };
    if (status !== "success") throw new Error(`${expression}: ${error}`);
    return data.result.map(({ metric, value: [, text] }) => ({ metric, value: Number(text) }));
  };
  const firing = async (): Promise<string[]> => {
    const samples = await query('ALERTS{alertstate="firing"}');
    return [...new Set(samples.map(({ metric }) => metric["alertname"] ?? ""))];
  };
  return {
    query,
    firing,
    raised: async (name: string): Promise<void> => {
      const isRaised = async () => (await firing()).includes(name);
      await eventually(`${name} is raised`, isRaised, RAISED_WITHIN_MS);
    },
    cleared: async (name: string): Promise<void> => {
      const isCleared = async () => !(await firing()).includes(name);
      await eventually(`${name} has cleared`, isCleared, CLEARED_WITHIN_MS);
    },
  };
}

function faster(rules: string): string {
  return rules
    .replaceAll(/(?<= for: )\d+[mh]$/gm, FOR)
    .replaceAll("[1m]", `[${SHORT_WINDOW}]`)
    .replaceAll(/\[\d+[mhd]\]/g, `[${WINDOW}]`)
    .replaceAll("offset 5m", `offset ${WINDOW}`)
    .replaceAll(/> 60$/gm, `> ${WAIT_S}`)
    .replace(
      "annals_log_anchor_lag_seconds) > 3600",
      `annals_log_anchor_lag_seconds) > ${ANCHOR_S}`,
    );
}

/** Every expression of every dashboard, with its place. */
export function dashboardExpressions(): { readonly place: string; readonly expression: string }[] {
  const folder = join(CHART, "dashboards");
  return readdirSync(folder).flatMap((file) => {
    const { title, panels } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
      title: string;
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    return panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }) => ({
        place: `${title}, ${panel.title}`,
        expression: expr.replaceAll("$__rate_interval", WINDOW),
      })),
    );
  });
}
