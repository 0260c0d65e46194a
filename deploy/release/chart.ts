// The chart as the archive that `helm install` and `helm push` take. Called by main.ts. It needs no helm,
// and the same commit gives the same bytes: sorted names, the time of the commit, no owner. It must never
// hold a file that .helmignore names.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { ROOT } from "./run.ts";

const CHART = join(ROOT, "helm/annals");

export async function packChart(version: string, time: Date, out: string): Promise<void> {
  const file = join(out, `annals-chart-${version}.tgz`);
  const options = {
    file,
    cwd: join(ROOT, "helm"),
    gzip: { level: 9 },
    portable: true,
    mtime: time,
  };
  await create(
    { ...options, noDirRecurse: true },
    chartFiles().map((path) => `annals/${path}`),
  );
}

/** Paths from the folder of the chart; Chart.yaml is first, because readers look for it. */
function chartFiles(): string[] {
  const ignored = readFileSync(join(CHART, ".helmignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const patterns = ignored.filter((line) => /[*?[!]/.test(line));
  if (patterns.length > 0)
    throw new Error(`.helmignore: ${patterns.join(", ")}: only names are understood`);
  const isIgnored = (path: string) =>
    ignored.some((name) => (name.endsWith("/") ? `${path}/`.startsWith(name) : path === name));
  const paths = readdirSync(CHART, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(CHART.length + 1))
    .filter((path) => !isIgnored(path));
  return ["Chart.yaml", ...paths.filter((path) => path !== "Chart.yaml").toSorted()];
}
