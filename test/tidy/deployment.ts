// What the tests of deployment read: the settings and metrics that the services declare, and the YAML
// of the chart and of compose. Called by helm.test.ts, image.test.ts and monitoring.test.ts. It reads
// source text and never runs a service.

import { parse, parseAllDocuments } from "yaml";
import { FILES, PRODUCT } from "./sources.ts";

// oxlint-disable-next-line no-explicit-any -- the test that reads it knows its shape
export type Node = Record<string, any>;

export function textOf(path: string): string {
  const file = FILES.find((each) => each.path === path);
  if (!file) throw new Error(`there is no ${path}`);
  return file.text;
}

export function yamlOf(path: string): Node {
  return parse(textOf(path), { merge: true }) as Node;
}

export function documentsOf(text: string): Node[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const node = document.toJS() as Node | null;
    return node === null ? [] : [node];
  });
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(/"(ANNALS_\w+)"/g)].map(([, name = ""]) => name);

/** The variables that a service reads: those of its config.ts and of the groups that it spreads. */
export function settingsOf(service: string): ReadonlySet<string> {
  const config = textOf(`services/${service}/src/config.ts`);
  const groups = ["libs/chassis/src/settings.ts", "libs/messaging/src/settings.ts"].map(textOf);
  const spread = [...config.matchAll(/^ {2}\.\.\.(\w+),$/gm)].flatMap(([, name = ""]) => {
    const group = groups.find((text) => text.includes(`export const ${name} = {`));
    if (group === undefined)
      throw new Error(`${service} spreads ${name}, which no settings.ts has`);
    const from = group.indexOf(`export const ${name} = {`);
    const found = namesIn(group.slice(from, group.indexOf("\n};", from)));
    // A group may use settings that are defined before it.
    return found.length > 0 ? found : namesIn(group);
  });
  return new Set([...namesIn(config), ...spread]);
}

/** Every metric that a service declares, with what a histogram is scraped as. */
export const METRICS: ReadonlySet<string> = new Set(
  PRODUCT.flatMap(({ text }) =>
    [...text.matchAll(/new (Counter|Gauge|Histogram)(?:<[^>]*>)?\(\{\s*name: "(\w+)"/g)].flatMap(
      ([, kind, name = ""]) =>
        kind === "Histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  ),
);
