// `annals status`: asks the admin port of every process whether it is ready, which release it is and what it
// lags behind, and says what is not well. Called by main.ts. It asks each address once, within a bound.

import { lookup } from "node:dns/promises";
import { readMetrics, type Sample } from "./read-metrics.ts";

export interface ProcessStatus {
  readonly service: string;
  readonly url: string;
  readonly release: string | null;
  readonly well: boolean;
  /** The greatest value of each metric of a lag. */
  readonly lag: Readonly<Record<string, number>>;
  /** What is not well, a sentence each. */
  readonly faults: readonly string[];
}

const TIMEOUT_MS = 5_000;
const MS_PER_DAY = 86_400_000;
/** As in the alerts of docs/operating.md. */
const EXPIRY_DAYS = 14;
const MAX_INDEX_LAG_EVENTS = 204_800;

/** One entry for each address that the names of `urls` have. */
export async function statusOf(urls: readonly string[], now: Date): Promise<ProcessStatus[]> {
  const addresses = await Promise.all(urls.map(addressesOf));
  return Promise.all(addresses.flat().map((url) => ask(url, now)));
}

export function statusLines(all: readonly ProcessStatus[]): string {
  const rows = all.map(({ lag, release, service, url, well }) => [
    service,
    url,
    release ?? "-",
    well ? "well" : "NOT WELL",
    Object.entries(lag)
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
  ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.flatMap((row, index) => [
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
    ...(all[index]?.faults.map((fault) => `    ${fault}`) ?? []),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

/** A headless Service of Kubernetes has the address of every pod. A name that is not found stays. */
async function addressesOf(url: string): Promise<string[]> {
  const { hostname } = new URL(url);
  const found = await lookup(hostname.replace(/^\[|\]$/g, ""), { all: true }).catch(() => []);
  // A machine's own name often has an address of each family, and a process listens on one of them.
  if (found.length < 2 || hostname === "localhost") return [url];
  return found.map(({ address, family }) => {
    const each = new URL(url);
    each.hostname = family === 6 ? `[${address}]` : address;
    return each.href;
  });
}

async function ask(url: string, now: Date): Promise<ProcessStatus> {
  try {
    const [ready, metrics] = await Promise.all([get(url, "readyz"), get(url, "metrics")]);
    const samples = readMetrics(metrics.text);
    const service = samples.find(({ labels }) => labels["service"])?.labels["service"];
    if (service === undefined) throw new Error("it is not the admin port of Annals");
    const faults = [
      ...(ready.isOk ? [] : ready.text.trim().split("\n")),
      ...measuredFaults(samples, now),
    ];
    const build = samples.find(({ name }) => name === "annals_build_info");
    const release = build?.labels["version"] ?? null;
    return { service, url, release, well: faults.length === 0, lag: lagOf(samples), faults };
  } catch (error) {
    const fault = `no answer: ${reasonOf(error)}`;
    return { service: "?", url, release: null, well: false, lag: {}, faults: [fault] };
  }
}

async function get(url: string, path: string): Promise<{ isOk: boolean; text: string }> {
  const answer = await fetch(new URL(`/${path}`, url), {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { isOk: answer.ok, text: await answer.text() };
}

function measuredFaults(samples: readonly Sample[], now: Date): string[] {
  const faults: string[] = [];
  for (const { labels, name, value } of samples) {
    if (name === "annals_chain_invariant_broken_total" && value > 0) {
      faults.push("a chain is broken: docs/operating.md, When a chain is broken");
    }
    if (name === "annals_index_lag_events" && value > MAX_INDEX_LAG_EVENTS) {
      faults.push(`the filter index lacks ${value} events`);
    }
    if (name !== "annals_tls_certificate_expiry_timestamp_seconds") continue;
    const expiry = new Date(value * 1_000);
    if (expiry.getTime() - now.getTime() < EXPIRY_DAYS * MS_PER_DAY) {
      faults.push(`the certificate of the ${labels["certificate"]} ends ${expiry.toISOString()}`);
    }
  }
  return faults;
}

function lagOf(samples: readonly Sample[]): Record<string, number> {
  const lag: Record<string, number> = {};
  for (const { name, value } of samples) {
    if (/^annals_\w*_lag_\w+$/.test(name)) lag[name] = Math.max(lag[name] ?? 0, value);
  }
  return lag;
}

/** fetch says no more than "fetch failed"; the cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return ("code" in cause && String(cause.code)) || cause.message;
  return error.message;
}
