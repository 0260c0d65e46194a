// What the chart has of the types of sinks: their names, and which members of a configuration are secrets.
// Those are named by their Secret alone. Called by main.ts. It must never change what stands around them.

import { SENSITIVE, SINK_TYPES, SINK_TYPE_NAMES } from "@annals/interface";
import { currentTextOf, filled, textOf } from "./sources.ts";

const SCHEMA = "helm/annals/values.schema.json";
const TEMPLATE = "helm/annals/templates/sinks.yaml";

/** A header's name, after that of the member and a dot. */
const ANY_NAME = "[A-Za-z0-9-]+";

interface Member {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Member>>;
  readonly [SENSITIVE]?: boolean;
}

const MEMBERS: readonly (readonly [name: string, member: Member])[] = SINK_TYPE_NAMES.flatMap(
  (type) => Object.entries(SINK_TYPES[type].schema.properties as Record<string, Member>),
);

const isSecretText = (member: Member): boolean =>
  member[SENSITIVE] === true && member.type === "string";

/** An object of which each member may be a secret, such as headers. */
const isSecretObject = (member: Member): boolean =>
  member[SENSITIVE] === true && member.type === "object";

const hasSecret = ({ properties = {} }: Member): boolean =>
  Object.values(properties).some(isSecretText);

/** Members that may not be in `config` at all. */
function onlySecret(): string[] {
  const names = MEMBERS.flatMap(([name, member]) =>
    isSecretText(member) || hasSecret(member) ? [name] : [],
  );
  return [...new Set(names)];
}

/** What `secrets` may name. */
function secretPattern(): string {
  const forms = MEMBERS.flatMap(([name, member]) => {
    if (isSecretText(member)) return [name];
    if (isSecretObject(member)) return [`${name}[.]${ANY_NAME}`];
    return hasSecret(member)
      ? [`${name}[.](${Object.keys(member.properties ?? {}).join("|")})`]
      : [];
  });
  return `^(${[...new Set(forms)].join("|")})$`;
}

/** Each file with what it should be. */
export function sinkTypes(): readonly (readonly [path: string, text: string])[] {
  const sinks = '\\n {4}"sinks": \\{[^]*?';
  const types = new RegExp(`(${sinks}"type": \\{\\n *"enum": \\[)[^\\]]*(\\])`);
  const names = [SINK_TYPE_NAMES.map((name) => `"${name}"`).join(", ")];
  const secrets = new RegExp(`(${sinks}"secrets": \\{[^]*?"pattern": ")[^"]*(")`);
  const schema = filled(filled(currentTextOf(SCHEMA), types, names), secrets, [secretPattern()]);
  const list = /(range \$member := list) [^}]*( \}\})/;
  const members = onlySecret().map((name) => ` "${name}"`);
  return [
    [SCHEMA, schema],
    [TEMPLATE, filled(textOf(TEMPLATE), list, members)],
  ];
}
