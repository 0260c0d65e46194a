// The page helm/annals/README.md: every value of the chart with its type, default and meaning, made of
// values.yaml, its comments and values.schema.json. Called by main.ts. It must never say what is
// in neither.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml";

const CHART = resolve(import.meta.dirname, "../../helm/annals");

// oxlint-disable-next-line no-explicit-any -- JSON Schema, whose shape the functions below know
type Schema = Record<string, any>;

/** What a definition of the schema is called in the table. */
const NAMES: Readonly<Record<string, string>> = {
  texts: "map of texts",
  secretKey: "Secret and key",
  peers: "list of peers",
  cidrs: "list of CIDRs",
  objects: "list",
  resources: "resources",
  pod: "members of `pod`",
  probe: "members of a probe",
  duration: "duration, `30s`",
  quantity: "quantity, `10Gi`",
};

/** Whose members have the same meaning as those of another group that describes them. */
const LIKE: Readonly<Record<string, string>> = {
  ledger: "keys",
  export: "keys",
  webhookDispatcher: "keys",
  gateway: "keys",
  serviceMonitor: "podMonitor",
};

interface Row {
  readonly path: string;
  readonly type: string;
  readonly preset: string;
  meaning: string;
}

/** The whole page. */
export function chartReadme(): string {
  const text = (name: string) => readFileSync(join(CHART, name), "utf8");
  const schema = JSON.parse(text("values.schema.json")) as Schema;
  const chart = parseDocument(text("Chart.yaml")).toJS() as { name: string; description: string };
  const values = parseDocument(text("values.yaml")).contents as YAMLMap;
  const sections = values.items.map((pair) => section(pair, schema));
  describeSame(sections.flatMap(({ rows }) => rows));
  const alone = sections.filter(({ name }) => name === undefined);
  const grouped = sections.filter(({ name }) => name !== undefined);
  return [
    "<!-- Made by `npm run generate` of values.yaml and values.schema.json: change those. -->",
    `# ${chart.name}`,
    chart.description,
    "No value is required:\n\n```sh\nhelm install annals helm/annals --namespace audit --create-namespace\n```",
    "For production, begin with `production-values.yaml`. `examples/` has values for autoscaling, monitoring, KEDA " +
      "and CloudNativePG. [Annals in Kubernetes](../../docs/kubernetes.md) explains installation, certificates, policies " +
      "and upgrades. Your own PostgreSQL must meet the " +
      "[requirements of the server](../../docs/operators/database.md#requirements-of-the-server).",
    "A name that is in no table below is refused at the install.",
    "## Values",
    table(alone.flatMap(({ rows }) => rows)),
    ...grouped.flatMap(({ name, about, rows }) => [`### ${name}`, about, table(rows)]),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

function section(pair: Pair, schema: Schema) {
  const [name, comment] = [nameOf(pair), commentOf(pair)];
  const own = schema["properties"][name] as Schema;
  if (!isGroup(pair.value))
    return { name: undefined, about: "", rows: [row(name, pair, own, schema)] };
  return { name, about: comment, rows: membersOf(name, pair.value, own, schema) };
}

function membersOf(above: string, map: Group, parent: Schema, schema: Schema): Row[] {
  return map.items.flatMap((pair, index) => {
    const name = nameOf(pair);
    // The parser gives the comment of the first member to the map.
    if (index === 0 && isScalar(pair.key)) pair.key.commentBefore ??= map.commentBefore ?? null;
    const own = (resolved(parent, schema)["properties"]?.[name] ?? {}) as Schema;
    const path = `${above}.${name}`;
    if (!isGroup(pair.value) || NAMES[definitionOf(own)] !== undefined)
      return [row(path, pair, own, schema)];
    const rows = membersOf(path, pair.value, own, schema);
    for (const each of rows) each.meaning ||= oneLine(commentOf(pair));
    return rows;
  });
}

/** A row without a meaning gets that of the same member of the group that is like its own. */
function describeSame(rows: readonly Row[]): void {
  const meanings = new Map(rows.map(({ path, meaning }) => [path, meaning]));
  for (const each of rows) {
    const [group = "", ...members] = each.path.split(".");
    each.meaning ||= meanings.get([LIKE[group], ...members].join(".")) ?? "";
  }
}

function row(path: string, pair: Pair, own: Schema, schema: Schema): Row {
  const preset = JSON.stringify((pair.value as { toJSON(): unknown }).toJSON());
  return { path, type: typeOf(own, schema), preset, meaning: oneLine(commentOf(pair)) };
}

type Group = YAMLMap & { items: Pair[] };

/** A map in lines of its own: its members have rows. One in braces is a value. */
function isGroup(node: unknown): node is Group {
  return isMap(node) && node.flow !== true;
}

function typeOf(own: Schema, schema: Schema): string {
  const name = NAMES[definitionOf(own)];
  if (name !== undefined) return name;
  const { type, enum: choices, minimum, maximum } = resolved(own, schema);
  if (choices) return (choices as unknown[]).map((each) => `\`${String(each)}\``).join(", ");
  const words: Record<string, string> = {
    string: "text",
    array: "list",
    object: "map",
    null: "`null`",
  };
  const types = [type ?? "any"].flat().map((each: string) => words[each] ?? each);
  const bounds = [
    minimum === undefined ? "" : `from ${minimum}`,
    maximum === undefined ? "" : `to ${maximum}`,
  ];
  return [types.join(" or "), ...bounds].filter((part) => part !== "").join(" ");
}

function resolved(own: Schema, schema: Schema): Schema {
  const name = definitionOf(own);
  return name === "" ? own : (schema["$defs"][name] as Schema);
}

function definitionOf(own: Schema): string {
  return /^#\/\$defs\/(\w+)$/.exec(own["$ref"] ?? "")?.[1] ?? "";
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

/** The comment right above a member: what an empty line parts from it is of what follows as a whole. */
function commentOf({ key }: Pair): string {
  const above = isScalar(key) ? (key.commentBefore ?? "") : "";
  return (above.split(/\n\s*\n/).at(-1) ?? "").replaceAll(/^ /gm, "").trim();
}

function oneLine(comment: string): string {
  return comment.replaceAll(/\s+/g, " ").replaceAll("|", String.raw`\|`);
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ path, type, preset, meaning }) => `| \`${path}\` | ${type} | \`${preset}\` | ${meaning} |`,
  );
  return ["| Value | Type | Default | Meaning |", "|---|---|---|---|", ...lines].join("\n");
}
