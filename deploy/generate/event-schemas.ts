// Makes the extracts of other schemas that the tests of libs/ocsf validate against, from clones of their
// repositories. A person runs it when the pinned version changes; `npm run generate` does not, since the
// clones are not part of the checkout. It must never keep more than the tests read.
//
//   node deploy/generate/event-schemas.ts OCSF_SCHEMA_CLONE ECS_CLONE

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Node, ROOT } from "./sources.ts";

const OCSF_TAG = "1.8.0";
const ECS_TAG = "v9.4.0";
const FOLDER = "test/vectors/schemas";
const CLASSES = [
  "application/api_activity",
  "iam/account_change",
  "iam/authentication",
  "iam/entity_management",
  "iam/group_management",
  "iam/user_access",
];
/** Fields of ECS outside of these groups are not used. */
const ECS_FIELDS =
  /^(@timestamp|message|(ecs|event|group|organization|related|source|user|user_agent)\..+)$/;
const BYTES_MAX = 64 * 2 ** 20;

const [ocsfClone, ecsClone] = process.argv.slice(2);
if (ocsfClone === undefined || ecsClone === undefined)
  throw new Error("usage: event-schemas.ts OCSF_SCHEMA_CLONE ECS_CLONE");
write("ocsf.json", ocsf(ocsfClone));
write("ecs.json", ecs(ecsClone));

function write(name: string, schema: Node): void {
  writeFileSync(join(ROOT, FOLDER, name), `${JSON.stringify(schema, undefined, 1)}\n`);
}

function git(clone: string, ...words: string[]): string {
  return execFileSync("git", ["-C", clone, ...words], { encoding: "utf8", maxBuffer: BYTES_MAX });
}

function ocsf(clone: string): Node {
  const read = (path: string): Node =>
    JSON.parse(git(clone, "show", `${OCSF_TAG}:${path}`)) as Node;
  const dictionary = read("dictionary.json");
  const { attributes: categories } = read("categories.json");
  const objectFiles = new Map(
    git(clone, "ls-tree", "--name-only", OCSF_TAG, "objects/")
      .trim()
      .split("\n")
      .map((path) => [path.slice("objects/".length, -".json".length), path]),
  );
  const objectOf = (name: string): Node =>
    inherited(read(objectFiles.get(name) ?? ""), (parent) => objectOf(parent));
  const classOf = (path: string): Node =>
    inherited(read(`events/${path}.json`), (parent) =>
      classOf(parent === "base_event" ? parent : `${path.split("/")[0]}/${parent}`),
    );
  const objects: Node = {};
  const add = (attributes: Node): void => {
    for (const { type } of Object.values(attributes)) {
      if (!objectFiles.has(type) || objects[type] !== undefined) continue;
      objects[type] = {};
      objects[type] = compact(objectOf(type), dictionary);
      add(objects[type].attributes);
    }
  };
  const classes = CLASSES.map((path) => {
    const of = classOf(path);
    const { uid: categoryUid, caption: category } = categories[of["category"]];
    const { caption, uid } = of;
    const shape = compact(of, dictionary);
    add(shape["attributes"]);
    const numbers = { uid: categoryUid * 1_000 + uid, category_uid: categoryUid };
    return [of["name"], { caption, category, ...numbers, ...shape }] as const;
  });
  return {
    source: origin(clone, "https://github.com/ocsf/ocsf-schema", OCSF_TAG),
    version: read("version.json")["version"],
    types: mapped(dictionary["types"].attributes, ({ type, regex, max_len, range }) =>
      defined({ type, regex, max_len, range }),
    ),
    classes: Object.fromEntries(classes),
    objects: Object.fromEntries(Object.entries(objects).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** What a class or an object has with what it inherits. Attributes of profiles are left out: none is used. */
function inherited(own: Node, parentOf: (name: string) => Node): Node {
  const { $include: _, ...attributes } = own["attributes"];
  const parent = own["extends"] === undefined ? { attributes: {} } : parentOf(own["extends"]);
  const all: Node = { ...parent["attributes"] };
  for (const [name, attribute] of Object.entries<Node>(attributes)) {
    if (attribute["profile"]) continue;
    const { enum: more, ...rest } = attribute;
    const before = all[name] ?? {};
    const values = more && { enum: { ...before.enum, ...more } };
    all[name] = { ...before, ...rest, ...values };
  }
  return { ...parent, ...own, attributes: all };
}

function compact({ attributes, constraints }: Node, dictionary: Node): Node {
  const short = mapped(attributes, (own: Node, name) => {
    const general = dictionary["attributes"][name];
    const { type, requirement, is_array, sibling } = { ...general, ...own };
    const values = { ...general.enum, ...own["enum"] };
    const captions = mapped(values, ({ caption }) => caption);
    const isEnum = Object.keys(values).length > 0;
    return defined({ type, requirement, is_array, sibling, enum: isEnum ? captions : undefined });
  });
  return defined({ constraints, attributes: short });
}

function ecs(clone: string): Node {
  const flat = parse(git(clone, "show", `${ECS_TAG}:generated/ecs/ecs_flat.yml`)) as Node;
  const used = Object.entries<Node>(flat).filter(([name]) => ECS_FIELDS.test(name));
  const fields = used.map(([name, { type, normalize, allowed_values: allowed }]) => {
    const values = allowed?.map((each: Node) => [each["name"], each["expected_event_types"]]);
    const isArray = normalize.includes("array") || undefined;
    return [name, defined({ type, is_array: isArray, values })] as const;
  });
  return {
    source: origin(clone, "https://github.com/elastic/ecs", ECS_TAG),
    version: git(clone, "show", `${ECS_TAG}:version`).trim(),
    fields: Object.fromEntries(fields),
  };
}

function origin(clone: string, repository: string, tag: string): Node {
  const commit = git(clone, "rev-parse", `${tag}^{commit}`).trim();
  return { repository, tag, commit, licence: "Apache-2.0" };
}

// oxlint-disable-next-line no-explicit-any -- schemas of others
function mapped(record: Node, make: (value: any, name: string) => unknown): Node {
  return Object.fromEntries(Object.entries(record).map(([name, each]) => [name, make(each, name)]));
}

function defined(record: Node): Node {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
