// A Prometheus next to a stack: it scrapes the processes of the stack and evaluates the alerts. Called by
// stack.ts for `npm start -- --observe` and for tests. It must never listen beyond the loopback interface.

import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { DataDirectory } from "./data-directory.ts";
import { isExecutable } from "./nats-binary.ts";
import { LOOPBACK, type ReservedPort } from "./ports.ts";
import { respondsOk } from "./service-process.ts";
import type { ObserveOptions, StackProcess } from "./stack-options.ts";
import type { ProcessSpec } from "./supervised-process.ts";

const STOP_GRACE_MS = 5_000;
const RETENTION = "2d";

/** How the server is run and watched. Writes its configuration file. */
export function prometheusSpec(
  binary: string,
  directory: DataDirectory,
  port: ReservedPort,
  processes: readonly StackProcess[],
  { intervalS, rules }: ObserveOptions,
): ProcessSpec {
  const config = directory.run("prometheus.yml");
  const interval = `${intervalS}s`;
  const targets = processes.flatMap(({ adminUrl }) => (adminUrl ? [new URL(adminUrl).host] : []));
  // JSON is YAML.
  const text = JSON.stringify({
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: [rules],
    scrape_configs: [{ job_name: "annals", honor_labels: true, static_configs: [{ targets }] }],
  });
  writeFileSync(config, `${text}\n`);
  return {
    name: "prometheus-1",
    command: binary,
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(directory.path, "prometheus")}`,
      `--storage.tsdb.retention.time=${RETENTION}`,
      `--web.listen-address=${LOOPBACK}:${port.port}`,
      "--log.level=warn",
    ],
    env: { PATH: "/usr/bin:/bin", ANNALS_DATA_DIR: directory.path },
    cwd: directory.path,
    stopSignal: "TERM",
    lastSignal: "SIGKILL",
    stopGraceMs: STOP_GRACE_MS,
    pidFile: directory.run("prometheus-1.pid"),
    logFile: directory.log("prometheus-1.log"),
    beforeStart: () => port.release(),
    isReady: () => respondsOk(`http://${LOOPBACK}:${port.port}/-/ready`),
  };
}

/** Undefined if it is not on the PATH. */
export function findPrometheus(path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, "prometheus"))
    .find(isExecutable);
}
