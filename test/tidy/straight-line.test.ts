// Guarantee: a request is a verb on a noun and that word is the same everywhere, so that one search shows the
// whole line: the row of v1.ts, the route file, the API test, the RPC, its handler, its statement. That the
// gateway calls only RPCs that there are is TypeScript's to check.

import { V1 } from "@annals/gateway/src/v1.ts";
import { describe, expect, test } from "vitest";
import {
  exists,
  FILES,
  matches,
  PRODUCT,
  SERVICES,
  textOf,
} from "../../deploy/generate/sources.ts";

/** `annals/<package>/v1`, and the service that answers it. */
const SERVICE_OF_PACKAGE: Readonly<Record<string, string>> = {
  keys: "keys",
  ledger: "ledger",
  exports: "export",
  webhooks: "webhook-dispatcher",
};

const kebab = (name: string): string => name.replaceAll(/(?<!^)[A-Z]/g, "-$&").toLowerCase();

const RPCS = FILES.flatMap(({ path, text }) => {
  const service = SERVICE_OF_PACKAGE[/^proto\/annals\/(\w+)\/v1\//.exec(path)?.[1] ?? ""];
  return service === undefined
    ? []
    : matches(text, /^\s*rpc (\w+)\(/gm).map((name) => ({ service, name }));
});

test("each row of v1.ts has its route file, its function and its API test, and no name is there twice", () => {
  for (const [, path, , name, make] of V1) {
    const noun = path.split("/")[1];
    expect(exists(`services/gateway/src/${noun}/${name}.ts`), `route ${name}`).toBe(true);
    expect(exists(`test/api/${noun}/${name}.test.ts`), `test of ${name}`).toBe(true);
    expect(kebab(make.name)).toBe(name);
  }
  expect(V1.length).toBeGreaterThan(10);
  expect(new Set(V1.map(([, , , name]) => name)).size).toBe(V1.length);
});

describe("each RPC of a service", () => {
  test.each(RPCS)(
    "$service $name has one <noun>/rpc/<verb-noun>.ts, and its row in service.ts",
    ({ service, name }) => {
      const [file, own] = [`/rpc/${kebab(name)}.ts`, `services/${service}/src/`];
      const found = PRODUCT.filter(({ path }) => path.startsWith(own) && path.endsWith(file));
      expect(found, `write ${file}`).toHaveLength(1);
      const row = new RegExp(`^ +${name[0]?.toLowerCase()}${name.slice(1)}\\b`, "m");
      expect(textOf(`services/${service}/src/service.ts`)).toMatch(row);
    },
  );
});

test("each statement of a store is named after its schema and its file: /* schema.file-name */", () => {
  const wrong = PRODUCT.filter(
    ({ path, text }) =>
      /^services\/.*\/store\//.test(path) &&
      /\bstatement(<|\()/.test(text.replace(/^import.*$/gm, "")),
  ).flatMap(({ path, text }) => {
    const stated = matches(text, /\/\* [a-z]+\.(\$?\{?[a-z-]+\}?) \*\//g);
    // Statements that serve one purpose together share a file, which is then named after the purpose.
    if (stated.length > 1 || stated[0] === "${name}" || path.endsWith(`/${stated[0]}.ts`))
      return [];
    return `${path}: ${stated[0] ?? "no name"}`;
  });
  expect(wrong).toStrictEqual([]);
});

test.each(SERVICES)("%s has the rooms of every service, its migrations have no gap", (service) => {
  for (const room of ["main", "program", "config", "serve", "metrics"])
    expect(exists(`services/${service}/src/${room}.ts`), room).toBe(true);
  const files = FILES.filter(({ path }) => path.startsWith(`services/${service}/migrations/`));
  const numbers = files.map(({ path }) => Number(/(\d{4})_[^/]*$/.exec(path)?.[1]));
  expect(numbers).toStrictEqual(files.map((_, index) => index + 1));
});
