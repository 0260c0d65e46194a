// Guarantee: a request is a verb on a noun and that word is the same everywhere, so that one search
// shows the whole line: the row of v1.ts, the route file, the API test, the RPC, its handler, its
// statement.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FILES, PRODUCT, ROOT, SERVICES } from "./sources.ts";

/** `annals/<package>/v1`, and the service that answers it. */
const SERVICE_OF_PACKAGE: Readonly<Record<string, string>> = {
  keys: "keys",
  ledger: "ledger",
  exports: "export",
  webhooks: "webhook-dispatcher",
};

const ROW = /^\s*\[\s*"(\w+)",\s*"(\S+)",\s*"(\S+)",\s*"(\S+)",\s*(\w+),?\s*\],/gm;

const kebab = (name: string): string => name.replaceAll(/(?<!^)[A-Z]/g, "-$&").toLowerCase();
const camel = (name: string): string => name[0]?.toLowerCase() + name.slice(1);

/** Every RPC of every service that is built, from the .proto files. */
const RPCS = FILES.flatMap(({ path, text }) => {
  const service = SERVICE_OF_PACKAGE[/^proto\/annals\/(\w+)\/v1\//.exec(path)?.[1] ?? ""];
  if (service === undefined || !SERVICES.includes(service)) return [];
  return [...text.matchAll(/^\s*rpc (\w+)\(/gm)].map(([, name = ""]) => ({ service, name }));
});

/** The rows of the gateway's table of contents, read as text: one a line. */
const ROWS = [...textOf("services/gateway/src/v1.ts").matchAll(ROW)].map(
  ([, method, path, scope, name = "", make = ""]) => ({
    line: `${method} ${path}`,
    scope,
    name,
    make,
  }),
);

function textOf(path: string): string {
  return FILES.find((file) => file.path === path)?.text ?? "";
}

test.each(ROWS)(
  "$line has its route file and its API test: $name in v1/ and in test/api/",
  ({ line, name }) => {
    const noun = line.split("/")[1]?.split("?")[0] ?? "";
    expect(existsSync(join(ROOT, `services/gateway/src/v1/${noun}/${name}.ts`))).toBe(true);
    expect(existsSync(join(ROOT, `test/api/${noun}/${name}.test.ts`))).toBe(true);
  },
);

test("each name of v1.ts is the name of its function, none is there twice, and no row is missed", () => {
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
  expect(ROWS.filter(({ name, make }) => kebab(make) !== name)).toStrictEqual([]);
  const imported = textOf("services/gateway/src/v1.ts").match(/from "\.\/v1\/[^/]+\/[a-z-]+\.ts"/g);
  expect(ROWS.length).toBeGreaterThan(10);
  expect(ROWS.length).toBeLessThanOrEqual(imported?.length ?? 0);
});

test("each RPC that the gateway calls is one of its services', with a handler", () => {
  const gateway = PRODUCT.filter(
    ({ path }) => path.startsWith("services/gateway/src/") && !path.endsWith("/clients.ts"),
  );
  const calls = gateway.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:keys|ledger|exports|webhooks)\.(\w+)\(/g)].map(([, rpc = ""]) => ({
      path,
      rpc,
    })),
  );
  expect(calls.length).toBeGreaterThan(5);
  const known = new Set(RPCS.map(({ name }) => camel(name)));
  expect(calls.filter(({ rpc }) => !known.has(rpc))).toStrictEqual([]);
});

describe("each RPC of a service", () => {
  test.each(RPCS)(
    "$service $name has rpc/<verb-noun>.ts and its row in service.ts",
    ({ service, name }) => {
      const path = `services/${service}/src/rpc/${kebab(name)}.ts`;
      expect(existsSync(join(ROOT, path)), `write ${path}`).toBe(true);
      expect(textOf(`services/${service}/src/service.ts`)).toMatch(
        new RegExp(`\\b${camel(name)}\\b`),
      );
    },
  );
});

test("each statement of a store is named after its schema and its file: /* schema.file-name */", () => {
  const wrong = PRODUCT.filter(({ path }) => /\/src\/store\//.test(path)).flatMap(
    ({ path, text }) => {
      const file = /([^/]+)\.ts$/.exec(path)?.[1] ?? "";
      const stated = [...text.matchAll(/\/\* [a-z]+\.(\$?\{?[a-z-]+\}?) \*\//g)].map(
        ([, name]) => name ?? "",
      );
      const declares = /\bstatement(<|\()/.test(text.replace(/^import.*$/gm, ""));
      // Statements that serve one purpose together share a file, which is then named after the purpose.
      const fits = stated.length > 1 || ["${name}", file].includes(stated[0] ?? "");
      return declares && !fits ? `${path}: ${stated.join(", ") || "no name"}` : [];
    },
  );
  expect(wrong).toStrictEqual([]);
});

test("each service has the same rooms, and its migrations are numbered without a gap", () => {
  for (const service of SERVICES) {
    for (const room of ["main", "config", "serve", "metrics"])
      expect(
        existsSync(join(ROOT, `services/${service}/src/${room}.ts`)),
        `${service}/${room}`,
      ).toBe(true);
    const files = FILES.filter(({ path }) => path.startsWith(`services/${service}/migrations/`));
    const numbers = files.map(({ path }) => Number(/(\d{4})_[^/]*$/.exec(path)?.[1]));
    expect(numbers, `services/${service}/migrations`).toStrictEqual(
      files.map((_, index) => index + 1),
    );
  }
});
