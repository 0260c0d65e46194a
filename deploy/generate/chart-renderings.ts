// The manifests that the chart renders, as test/chart/golden keeps them: a file for each case, written so
// that a person can review what a change of the chart changes. Called by main.ts and by golden.test.ts,
// which compares. It must never leave out what differs from the usual: see chart-shorthand.ts.

import { spawnSync } from "node:child_process";
import { Document, isMap, isPair, parseAllDocuments, stringify, visit } from "yaml";
import { shortened } from "./chart-shorthand.ts";
import { type Node, ROOT, yamlOf } from "./sources.ts";

export const CHART = "helm/annals";

interface Case {
  readonly name: string;
  /** Files of values, from the root. */
  readonly values: readonly string[];
  /** `Kind name` of the objects that the file has. Default: all. */
  readonly has?: RegExp;
}

export const CASES: readonly Case[] = [
  { name: "defaults", values: [] },
  { name: "full", values: [`${CHART}/ci/full-values.yaml`] },
  {
    name: "production",
    values: [`${CHART}/production-values.yaml`],
    // `full` has more of the other kinds.
    has: /^(Certificate|Deployment|HorizontalPodAutoscaler|Ingress|Job|Secret|StatefulSet) /,
  },
  {
    name: "variants",
    values: [
      "test/chart/variants.yaml",
      `${CHART}/ci/minimal-values.yaml`,
      `${CHART}/examples/keda.yaml`,
    ],
    has: /^(Deployment|ScaledObject|Secret|Service|ServiceAccount|ServiceMonitor) (?!annals-test)/,
  },
  {
    name: "webhook-test",
    values: ["test/chart/webhook-test.yaml"],
    has: / annals-test|^Deployment annals-webhook-dispatcher/,
  },
];

/** The program that ANNALS_TEST_HELM names, or that of the PATH; undefined if it does not run. */
export function findHelm(environment: NodeJS.ProcessEnv): string | undefined {
  const helm = environment["ANNALS_TEST_HELM"] || "helm";
  return spawnSync(helm, ["version"]).status === 0 ? helm : undefined;
}

/** The objects of the release `annals` in the namespace `audit`. Throws what helm says if it refuses. */
export function render(helm: string, values: readonly string[], ...more: string[]): Node[] {
  const release = ["annals", CHART, "--namespace", "audit", "--kube-version", "1.33.0"];
  const given = values.flatMap((path) => ["-f", path]);
  const args = ["template", ...release, ...given, ...more];
  const { status, stdout, stderr } = spawnSync(helm, args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  // Kubernetes reads 0440 as octal.
  return parseAllDocuments(stdout, { version: "1.1" }).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return (document.toJS() as Node | null) ?? [];
  });
}

/** Each file with what it should be. None if helm is not there. */
export function chartRenderings(environment: NodeJS.ProcessEnv): [path: string, text: string][] {
  const helm = findHelm(environment);
  if (helm !== undefined)
    return CASES.map((each) => [goldenPath(each.name), renderedCase(helm, each)]);
  process.stderr.write("helm is not here: test/chart/golden is neither made nor compared\n");
  return [];
}

export function goldenPath(name: string): string {
  return `test/chart/golden/${name}.yaml`;
}

/** The text of one file. */
export function renderedCase(helm: string, { values, has }: Case): string {
  const objects = render(helm, values).filter(
    ({ kind, metadata }) => has?.test(`${kind} ${metadata.name}`) ?? true,
  );
  const nameOverride = values.map((path) => yamlOf(path)["nameOverride"]).find(Boolean);
  return [
    `# Made by \`npm run generate\` of the chart with ${values.join(", ") || "no values"}: change those.\n` +
      "# What is in <> stands for what deploy/generate/chart-shorthand.ts says.\n",
    ...shortened(objects, nameOverride ?? "annals").map(written),
  ].join("---\n");
}

const FLOW = { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 } as const;
const COLUMNS = 140;

/** Returns YAML, with version and kind in one line, and whatever else fits into one. */
function written({ apiVersion, kind, ...members }: Node): string {
  const object = { kind: `${apiVersion} ${kind}`, ...members };
  const document = new Document(object, { aliasDuplicateObjects: false });
  visit(document, {
    Collection(_key, node, path) {
      const indent = 2 * path.filter((each) => isMap(each) || !isPair(each)).length;
      const parent = path.at(-1);
      const before = isPair(parent) ? `${String(parent.key)}: ` : "- ";
      const flat = stringify(node, FLOW).trim();
      node.flow = indent + before.length + flat.length <= COLUMNS && !flat.includes("\n");
    },
  });
  return document.toString({ flowCollectionPadding: false, lineWidth: 0 });
}
