// Guarantee: the arrows of docs/architecture.md. Services never import each other; inside a service
// nothing looks up; each outside library has one home; only a process's own entry reads its
// environment.

import { describe, expect, test } from "vitest";
import { CODE, FILES, importsOf, isForTests, packageOf, PRODUCT, targetOf } from "./sources.ts";
import type { SourceFile } from "./sources.ts";

/** `path imports what`, for each import that `isForbidden`. */
function imports(
  files: readonly SourceFile[],
  isForbidden: (specifier: string, file: SourceFile) => boolean,
): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => isForbidden(specifier, file))
      .map((specifier) => `${file.path} imports ${specifier}`),
  );
}

/** `services/keys/src/rpc/x.ts`: the service `keys`, the room `rpc`; `serve` for serve.ts itself. */
function roomOf(path: string): { service: string; room: string } | undefined {
  const [, service, room] = /^services\/([^/]+)\/src\/([^/.]+)/.exec(path) ?? [];
  return service !== undefined && room !== undefined ? { service, room } : undefined;
}

test("services never import each other: they meet in proto and libs", () => {
  const names = new Map(
    FILES.filter(({ path }) => /^services\/[^/]+\/package\.json$/.test(path)).map((file) => [
      String(JSON.parse(file.text).name),
      file.path.split("/")[1],
    ]),
  );
  const crossing = imports(PRODUCT, (specifier, file) => {
    const from = roomOf(file.path)?.service;
    const to = specifier.startsWith(".")
      ? roomOf(targetOf(file, specifier))?.service
      : names.get(packageOf(specifier));
    return to !== undefined && to !== from;
  });
  expect(crossing).toStrictEqual([]);
});

test("no relative import leaves its package: import the package by its name", () => {
  const leaving = imports(CODE, (specifier, file) => {
    const home = /^((services|libs|packages)\/[^/]+|deploy\/local|proto|test)\//.exec(
      file.path,
    )?.[1];
    return (
      home !== undefined &&
      specifier.startsWith(".") &&
      !targetOf(file, specifier).startsWith(`${home}/`)
    );
  });
  expect(leaving).toStrictEqual([]);
});

describe("libs", () => {
  test("never import a service or the test system, and contract imports nothing of ours", () => {
    const libs = CODE.filter(({ path }) => path.startsWith("libs/") && !isForTests(path));
    const own = [
      "event",
      "chassis",
      "contract",
      "errors",
      "messaging",
      "postgres",
      "rpc",
      "proto",
      "testing",
    ];
    const allowed = new Set(own.map((name) => `@annals/${name}`));
    const upward = imports(libs, (specifier) => {
      const name = packageOf(specifier);
      return name.startsWith("@annals/") && !allowed.has(name);
    });
    expect(upward).toStrictEqual([]);
    const contract = PRODUCT.filter(({ path }) => path.startsWith("libs/contract/"));
    expect(imports(contract, (specifier) => specifier.startsWith("@annals/"))).toStrictEqual([]);
  });

  test("testing is imported by tests only", () => {
    expect(imports(PRODUCT, (specifier) => specifier === "@annals/testing")).toStrictEqual([]);
  });
});

describe("inside a service", () => {
  /** What each room may import of its own service; a room that is not named may import anything below it. */
  const BELOW: Readonly<Record<string, readonly string[]>> = {
    domain: ["domain"],
    store: ["store", "domain"],
    outbound: ["outbound", "domain", "metrics", "config"],
    append: ["append", "domain", "store", "metrics"],
    verify: ["verify", "domain", "store", "metrics"],
    workers: ["workers", "domain", "store", "outbound", "metrics"],
    rpc: [
      "rpc",
      "append",
      "verify",
      "workers",
      "domain",
      "store",
      "outbound",
      "metrics",
      "service",
    ],
    render: ["render", "edge", "route"],
    config: [],
    metrics: [],
  };

  test("nothing looks up: main, serve, service, workers and rpc, domain and store", () => {
    const upward = imports(PRODUCT, (specifier, file) => {
      const from = roomOf(file.path);
      const to = specifier.startsWith(".") ? roomOf(targetOf(file, specifier)) : undefined;
      const below = from && BELOW[from.room];
      // A type of the table's dependencies may be named by the handlers that it hands them to.
      return below !== undefined && to !== undefined && !below.includes(to.room);
    });
    expect(upward).toStrictEqual([]);
    const services = PRODUCT.filter(({ path }) => path.startsWith("services/"));
    expect(imports(services, (specifier) => specifier.endsWith("/main.ts"))).toStrictEqual([]);
  });

  test("domain knows no proto, no PostgreSQL, no network and no file", () => {
    const domain = PRODUCT.filter(({ path }) => roomOf(path)?.room === "domain");
    // Arithmetic of bytes is not input or output.
    const pure = new Set(["node:crypto", "node:buffer", "node:zlib", "node:net", "node:util"]);
    // Of messaging the words only: which kinds of notices there are.
    const allowed = new Set([
      "@annals/contract",
      "@annals/errors",
      "@annals/event",
      "@annals/messaging",
    ]);
    const outward = imports(domain, (specifier) => {
      const name = packageOf(specifier);
      if (specifier.startsWith(".") || allowed.has(name)) return false;
      if (specifier.startsWith("node:")) return !pure.has(specifier);
      return (
        name.startsWith("@annals/") ||
        name === "pg" ||
        name === "nats" ||
        name.startsWith("@connectrpc/")
      );
    });
    expect(outward).toStrictEqual([]);
  });

  test("domain reads no clock and no dice: both come in through parameters", () => {
    const domain = PRODUCT.filter(({ path }) => roomOf(path)?.room === "domain");
    const reading = domain.filter(({ text }) =>
      /Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(/.test(text),
    );
    expect(reading.map(({ path }) => path)).toStrictEqual([]);
  });

  test("store knows no proto", () => {
    const store = PRODUCT.filter(({ path }) => roomOf(path)?.room === "store");
    expect(imports(store, (specifier) => packageOf(specifier) === "@annals/proto")).toStrictEqual(
      [],
    );
  });
});

describe("homes", () => {
  test.each([
    ["pg", /^libs\/postgres\//],
    ["nats", /^libs\/messaging\//],
    ["pino", /^libs\/chassis\//],
    ["prom-client", /^libs\/chassis\//],
    ["@grpc/grpc-js", /^libs\/rpc\//],
    ["@connectrpc/connect-node", /^libs\/rpc\//],
    ["@opentelemetry/sdk-node", /^libs\/chassis\//],
    ["fastify", /^services\/gateway\//],
    ["typebox", /^services\/gateway\//],
  ])("%s is imported at home only: use what its home exports", (library, home) => {
    const abroad = PRODUCT.filter(({ path }) => !home.test(path));
    expect(imports(abroad, (specifier) => packageOf(specifier) === library)).toStrictEqual([]);
  });

  test("only the entry of a process reads its environment: take it as a parameter", () => {
    const entry = /(^docs\/receivers\/|(^|\/)(main|bootstrap)\.(ts|mjs)$)/;
    const readers = CODE.filter(({ path, text }) => {
      return !entry.test(path) && !isForTests(path) && /process\.env\b/.test(withoutComments(text));
    });
    expect(readers.map(({ path }) => path)).toStrictEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
}
