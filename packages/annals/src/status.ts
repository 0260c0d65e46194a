// `annals status`: queries the admin port of every process for readiness, release and lag, and lists
// problems. It queries each address once, with a timeout.

import { command, type Command, EXIT, flag, repeatedOption } from "@annals/cli";
import { lookup } from "node:dns/promises";
import { adminUrls, type Environment } from "./local-stack.ts";
import { measuredProblems } from "./measured-problems.ts";
import { readMetrics, type Sample } from "./read-metrics.ts";

interface ProcessStatus {
  readonly service: string;
  readonly url: string;
  readonly release: string | null;
  readonly healthy: boolean;
  /** The greatest value of each metric of a lag, and of the age of the log's newest epoch. */
  readonly lag: Readonly<Record<string, number>>;
  /** One sentence per problem. */
  readonly problems: readonly string[];
}

/** For the whole of a response. */
const TIMEOUT_MS = 5_000;
/** Metrics of a service take some 100 KB. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** Lags of each kind, and how old the newest epoch of the log is. */
const LAG = /^annals_(?:\w*_lag_\w+|log_epoch_age_seconds)$/;

export function statusCommand(environment: Environment): Command {
  return command(
    {
      name: "status",
      summary: "Show the health of every process",
      details: `Queries /readyz and /metrics on the admin port of every process. Prints one line per process: service, address, release,
health and lag. Problems are listed below each process.

By default it queries the processes of the local stack (ANNALS_DATA_DIR, .annals). If there is no local stack, it queries
the process on this machine or in this pod (ANNALS_ADMIN_PORT, 9091). A host name is expanded to all its addresses.`,
      options: {
        url: repeatedOption("<url>", "Admin port of a process to query instead", asUrl),
        json: flag("Print JSON"),
      },
      examples: [
        "annals status",
        "annals status --url http://annals-keys:9091 --url http://annals-ledger:9091 --json",
      ],
      exitStatus: "0 all processes are healthy, 2 usage error, 3 a process is unhealthy",
    },
    async ({ json, url }) => {
      const own = `http://127.0.0.1:${environment["ANNALS_ADMIN_PORT"] || "9091"}`;
      const urls = url.length > 0 ? url : (adminUrls(environment) ?? [asUrl(own)]);
      const all = await statusOf(urls, new Date());
      process.stdout.write(json ? `${JSON.stringify(all)}\n` : statusLines(all));
      return all.every(({ healthy }) => healthy) ? EXIT.ok : EXIT.checkFailed;
    },
  );
}

function asUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Error(`must be http://host:port, got "${text}"`);
}

/** Resolves to one entry per address of each URL. */
async function statusOf(urls: readonly string[], now: Date): Promise<ProcessStatus[]> {
  const addresses = await Promise.all(urls.map(addressesOf));
  return Promise.all(addresses.flat().map((url) => ask(url, now)));
}

function statusLines(all: readonly ProcessStatus[]): string {
  const rows = all.map(({ lag, release, service, url, healthy }) => [
    service,
    url,
    release ?? "-",
    healthy ? "healthy" : "UNHEALTHY",
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
    ...(all[index]?.problems.map((problem) => `    ${problem}`) ?? []),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

/** Expands a host name to all its addresses: a headless Service has one per pod. Keeps an unknown name. */
async function addressesOf(url: string): Promise<string[]> {
  const { hostname } = new URL(url);
  const found = await lookup(hostname.replace(/^\[|\]$/g, ""), { all: true }).catch(() => []);
  // A machine's own name often has an IPv4 and an IPv6 address, and a process listens on one of them.
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
    if (service === undefined) throw new Error("not an Annals admin endpoint");
    const problems = [
      ...(ready.isOk ? [] : ready.text.trim().split("\n")),
      ...measuredProblems(samples, now),
    ];
    const build = samples.find(({ name }) => name === "annals_build_info");
    const release = build?.labels["version"] ?? null;
    return { service, url, release, healthy: problems.length === 0, lag: lagOf(samples), problems };
  } catch (error) {
    const problem = `no response: ${reasonOf(error)}`;
    return { service: "?", url, release: null, healthy: false, lag: {}, problems: [problem] };
  }
}

async function get(url: string, path: string): Promise<{ isOk: boolean; text: string }> {
  const answer = await fetch(new URL(`/${path}`, url), {
    // A process never sends one, and where it leads is not the process that was asked for.
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { isOk: answer.ok, text: await textOf(answer) };
}

async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > MAX_RESPONSE_BYTES)
      throw new Error(`the response has over ${MAX_RESPONSE_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function lagOf(samples: readonly Sample[]): Record<string, number> {
  const lag: Record<string, number> = {};
  for (const { name, value } of samples) {
    if (LAG.test(name)) lag[name] = Math.max(lag[name] ?? 0, value);
  }
  return lag;
}

/** The cause of an error of fetch, whose own message is only "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return ("code" in cause && String(cause.code)) || cause.message;
  return error.message;
}
