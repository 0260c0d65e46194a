// What stands in the files of test/chart/golden for what needs no review: `<...>`. Called by
// chart-renderings.ts. It must never take one thing for another: whatever is not exactly what a short text
// stands for is left as it was rendered.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { type Node, ROOT, yamlOf } from "./sources.ts";

const CHART = join(ROOT, "helm/annals");

/** `<restricted>`: a container at the restricted level, with a root that it cannot write. */
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

/** `<user 1000>`: a pod at that level, whose user and groups are all 1000. */
const ofUser = (id: unknown) => ({
  runAsNonRoot: true,
  runAsUser: id,
  runAsGroup: id,
  fsGroup: id,
  fsGroupChangePolicy: "OnRootMismatch",
  seccompProfile: { type: "RuntimeDefault" },
});

/** `<file test.mjs>`: all that a file of the chart has. */
const FILES = new Map(
  globSync(["*.mjs", "*.conf", "dashboards/*.json"], { cwd: CHART }).map((path) => [
    readFileSync(join(CHART, path), "utf8").trim(),
    path,
  ]),
);
const ALERTS = parse(readFileSync(join(CHART, "alerts.yml"), "utf8")) as unknown;

/** `<version>`: of the chart, which is that of the image. */
const { appVersion: VERSION } = yamlOf("helm/annals/Chart.yaml");

/** `<labels of>: keys`: what every object of a component has. */
const LABELS = {
  "app.kubernetes.io/part-of": "annals",
  "app.kubernetes.io/version": VERSION,
  "app.kubernetes.io/managed-by": "Helm",
  "helm.sh/chart": `annals-${VERSION}`,
};

/** `<CERTIFICATE 1>`, `<random 44, 2>`: what the chart makes up. What is the same has the same number. */
const RANDOM =
  /-----BEGIN (CERTIFICATE|EC PRIVATE KEY)-----[^]+?-----END \1-----|[A-Za-z0-9+/]{43}=|[A-Za-z0-9]{32,}/g;

/** The objects of a release `annals`; `name` is their app.kubernetes.io/name. */
export function shortened(objects: readonly Node[], name: string): Node[] {
  const made: string[] = [];
  const withoutRandom = (text: string) =>
    text.replaceAll(RANDOM, (found, pem?: string) => {
      if (!made.includes(found)) made.push(found);
      return `<${pem ?? `random ${found.length},`} ${made.indexOf(found) + 1}>`;
    });
  return objects.map((object) => {
    const { kind, data = {}, metadata } = object;
    if (kind !== "Secret") return short(object, name) as Node;
    const texts = Object.entries<string>(data).map(([key, text]) => [
      key,
      withoutRandom(Buffer.from(text, "base64").toString()),
    ]);
    // The time of the rendering, and a year.
    const renewed = metadata.annotations?.["annals.internal/renew-at"];
    if (/^\d{10}$/.test(renewed)) metadata.annotations["annals.internal/renew-at"] = "<time>";
    return short({ ...object, data: Object.fromEntries(texts) }, name) as Node;
  });
}

function short(value: unknown, name: string): unknown {
  if (typeof value === "string") return shortText(value);
  if (Array.isArray(value)) return value.map((each) => short(each, name));
  if (typeof value !== "object" || value === null) return value;
  if (isDeepStrictEqual(value, RESTRICTED)) return "<restricted>";
  const { runAsUser } = value as Node;
  if (isDeepStrictEqual(value, ofUser(runAsUser))) return `<user ${runAsUser}>`;
  if (isDeepStrictEqual(value, ALERTS)) return "<file alerts.yml>";
  const labels = shortLabels(value, name);
  if (labels !== value) return labels;
  const members = Object.entries(value).map(([key, each]) => [key, short(each, name)]);
  return Object.fromEntries(members);
}

function shortText(text: string): string {
  const file = FILES.get(text.trim());
  if (file !== undefined) return `<file ${file}>`;
  return text.endsWith(`:${VERSION}`) ? text.replace(VERSION, "<version>") : text;
}

/** `<pods of keys>`: the three labels that find the pods of a component, and nothing else. */
function shortLabels(labels: Node, name: string): unknown {
  const { "app.kubernetes.io/component": of, ...others } = labels;
  const selector = { "app.kubernetes.io/name": name, "app.kubernetes.io/instance": "annals" };
  if (of === undefined || !hasAll(others, selector)) return labels;
  if (Object.keys(labels).length === 3) return `<pods of ${of}>`;
  const all = { ...selector, ...LABELS };
  const more = Object.entries(others).filter(([key]) => !(key in all));
  return hasAll(others, all) ? { "<labels of>": of, ...Object.fromEntries(more) } : labels;
}

const hasAll = (labels: Node, some: Node) =>
  Object.entries(some).every(([key, value]) => labels[key] === value);
