// The import laws of docs/architecture.md as rules of oxlint. Imported by oxlint.config.ts. An override
// replaces a rule's options, so each area states all of its laws, and a later area replaces an earlier one.

import { dirname, relative } from "node:path/posix";
import type { OxlintOverride } from "oxlint";

export const FOR_TESTS = ["**/*.test.ts", "**/src/testing/**", "test/**", "libs/testing/**"];

/** The only places where a library may be imported. Others use what these export. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  pg: ["libs/postgres"],
  nats: ["libs/messaging"],
  pino: ["libs/chassis"],
  "prom-client": ["libs/chassis"],
  "@opentelemetry/sdk-node": ["libs/chassis"],
  "@peculiar/x509": ["libs/certificates"],
  "@grpc/grpc-js": ["libs/rpc"],
  "@connectrpc/connect-node": ["libs/rpc"],
  fastify: ["services/gateway", "services/keys"],
  jose: ["services/keys"],
  "openid-client": ["services/keys"],
  typebox: ["libs/interface", "services/gateway"],
};

/**
 * What a part of a service may import of it. The other files may import any. In a part, `*` is any noun. In
 * what it may import, `*` is any noun, too, and `own` the noun of the file.
 */
export const NOUN_LAYERS: Readonly<Record<string, readonly string[]>> = {
  "*/rules/**": ["*/rules/**"],
  "*/store/**": ["*/rules/**", "store/**"],
  "*/*.ts": ["*/rules/**", "*/*.ts", "own/store/**", "own/worker/**", "metrics.ts", "config.ts"],
  "*/worker/**": ["*/rules/**", "*/*.ts", "own/store/**", "own/receiver/**", "metrics.ts"],
  "*/rpc/**": ["*/rules/**", "*/*.ts", "own/store/**", "metrics.ts"],
  "*/commands/**": ["*/rules/**", "*/*.ts", "own/store/**", "metrics.ts", "config.ts"],
  "sinks/receiver/**": ["*/rules/**", "outbound/**"],
  "sinks/types/*/**": ["*/rules/**", "sinks/receiver/**", "outbound/**"],
  // What several nouns use, and is no noun.
  "store/**": ["*/rules/**"],
  "outbound/**": ["*/rules/**", "metrics.ts", "config.ts"],
  "commands/**": ["*/rules/**", "*/*.ts", "metrics.ts", "config.ts"],
  "config.ts": [],
  "metrics.ts": [],
};

export const GATEWAY_NOUNS = [
  "api-keys",
  "archives",
  "erasures",
  "events",
  "exports",
  "holds",
  "intake",
  "keys",
  "log",
  "people",
  "retention",
  "role-mappings",
  "search",
  "searches",
  "sinks",
  "usage",
  "verify",
  "webhooks",
  "widget",
  "widget-tokens",
  "workloads",
];

/** The same of the gateway, whose nouns have routes and no layers. */
export const GATEWAY_LAYERS: Readonly<Record<string, readonly string[]>> = {
  "{nouns}/**": ["{nouns}/**", "admission/**", "render/**", "deps.ts", "route.ts", "metrics.ts"],
  // Routes outside of /v1, which work on sockets.
  "{log,intake}/{head-log,cloudevents-handshake}.ts": [
    "edge/**",
    "render/**",
    "errors.ts",
    "metrics.ts",
  ],
  "auth/**": ["edge/**", "metrics.ts"],
  "edge/**": ["reads/**", "config.ts", "errors.ts", "limits.ts", "metrics.ts", "url-length.ts"],
  "reads/**": [],
  "admission/**": ["edge/**"],
  "render/**": [],
  "pages/**": ["edge/**", "openapi/**", "reference/**", "render/**", "deps.ts"],
  "openapi/**": [
    "{nouns}/**",
    "admission/**",
    "edge/**",
    "render/**",
    "deps.ts",
    "errors.ts",
    "route.ts",
    "v1.ts",
  ],
  "reference/**": ["openapi/**", "render/**"],
  "config.ts": [],
  "metrics.ts": [],
};

/** What they may import of our packages, and of Node: arithmetic of bytes is no input or output. */
const RULES_IMPORTS = [
  ...["contract", "errors", "event", "interface", "messaging", "ocsf", "tlog"].map(
    (name) => `@annals/${name}`,
  ),
  ...["crypto", "buffer", "zlib", "net", "util"].map((name) => `node:${name}`),
];

type Restriction = { readonly message: string; readonly importNames?: string[] } & (
  | { readonly regex: string }
  | { readonly group: string[] }
);

const SERVICES: Restriction = {
  regex: "^@annals/(keys|ledger|export|webhook-dispatcher|gateway|local|test)(/|$)",
  message: "Services meet over RPC: what they share is in proto and libs.",
};
const TESTING: Restriction = {
  regex: "^@annals/testing$|/testing/",
  message: "Only tests import what is for tests.",
};
const MAIN: Restriction = { regex: "/main\\.ts$", message: "Nothing imports an entry." };
const PARSE_ARGS: Restriction = {
  regex: "^node:util$",
  importNames: ["parseArgs"],
  message: "A command is declared with libs/cli, which parses its arguments.",
};
const NO_PROTO: Restriction = { regex: "^@annals/proto(/|$)", message: "No proto in the store." };
const PURE: Restriction = {
  group: [
    "@annals/**",
    "@connectrpc/**",
    "node:*",
    "node:*/**",
    ...RULES_IMPORTS.map((name) => `!${name}`),
  ],
  message: "Rules are pure: no proto, no PostgreSQL, no network, no file.",
};
const NO_NODE: Restriction = {
  regex: "^node:|^@annals/(event|tlog)$",
  message:
    "This runs without Node too: of libs/event and libs/tlog import only what ends in /text.",
};

const TLOG: Restriction = {
  group: ["@annals/**", "node:*", "node:*/**", "!@annals/contract", "!node:crypto"],
  message: "Logs are arithmetic of hashes: import only @annals/contract and node:crypto.",
};

const MAPPING: Restriction = {
  group: ["@annals/**", "node:*", "node:*/**", "!@annals/contract", "!node:crypto", "!node:net"],
  message: "A mapping is pure: it imports @annals/contract, and of Node only what computes.",
};

const CHECKED_BY_SEVERAL: Restriction = {
  group: ["@annals/**", "node:*", "node:*/**", "!@annals/errors", "!node:net"],
  message: "What several services check with is pure: it imports @annals/errors and typebox.",
};

/** Imports that are errors in `files`, besides the libraries whose home is elsewhere. */
function area(files: string, home: string, more: readonly Restriction[] = []): OxlintOverride {
  const abroad = Object.keys(HOMES).filter((library) => !HOMES[library]?.includes(home));
  const homes = {
    regex: `^(${abroad.join("|")})(/|$)`,
    message:
      "This library has its home elsewhere (HOMES in deploy/generate/import-laws.ts): use what that exports.",
  };
  const main = files.startsWith("services/") ? [MAIN] : [];
  const parser = home === "libs/cli" ? [] : [PARSE_ARGS];
  const patterns = [homes, SERVICES, TESTING, ...parser, ...main, ...more];
  return {
    files: [files],
    excludeFiles: FOR_TESTS,
    rules: { "no-restricted-imports": ["error", { patterns }] },
  };
}

/** The specifiers by which a file of a part, such as a file in `<noun>/store`, imports another part. */
function specifiers(part: string, to: string): string[] {
  const folder = dirname(part);
  if (!to.includes("*/") && !to.startsWith("own/")) return [relative(folder, to)];
  const [, inside = ""] = /^(?:\*|own)\/(.*)$/.exec(to) ?? [];
  const depth = folder.split("/").length;
  const own = `${"../".repeat(depth - 1) || "./"}${inside}`;
  return to.startsWith("own/") ? [own] : [own, `${"../".repeat(depth)}*/${inside}`];
}

/** A part of a service that is made of nouns. */
function nounLayer(service: string, part: string, allowed: readonly string[]): OxlintOverride {
  const upward = {
    group: [
      dirname(part) === "." ? "./**" : "../**",
      ...(part === "*/*.ts" ? ["./rpc/**", "./commands/**"] : []),
      ...allowed.flatMap((to) => specifiers(part, to)).map((each) => `!${each}`),
    ],
    message: `${part} may import ${allowed.join(", ") || "nothing"} of its service.`,
  };
  const pure = part === "*/rules/**" ? [PURE] : [];
  const protoless = part.endsWith("store/**") ? [NO_PROTO] : [];
  const home = `services/${service}`;
  return area(`${home}/src/${part}`, home, [upward, ...pure, ...protoless]);
}

function gatewayLayer(part: string, allowed: readonly string[]): OxlintOverride {
  const folder = dirname(part) === "{nouns}" ? "noun" : dirname(part);
  const named = allowed.flatMap((each) =>
    each === "{nouns}/**" ? GATEWAY_NOUNS.map((noun) => `${noun}/**`) : [each],
  );
  const upward = {
    group: [
      folder === "." ? "./**" : "../**",
      ...named.map((each) => `!${relative(folder, each)}`),
    ],
    message: `${part} may import ${allowed.join(", ") || "nothing"} of the gateway.`,
  };
  const files = part.replace("nouns", GATEWAY_NOUNS.join(","));
  return area(`services/gateway/src/${files}`, "services/gateway", [upward]);
}

export const ARROWS: OxlintOverride[] = [
  area("{libs,packages}/*/src/**", ""),
  area("services/*/src/**", ""),
  ...[...new Set(Object.values(HOMES).flat())].map((home) => area(`${home}/src/**`, home)),
  area("libs/cli/src/**", "libs/cli"),
  area("libs/proof/src/**", "", [NO_NODE]),
  area("libs/query/src/**", "", [NO_NODE]),
  area("libs/tlog/src/**", "", [TLOG]),
  area("libs/tlog/src/text/**", "", [{ ...NO_NODE, regex: "^node:|^@annals/" }]),
  area("libs/ocsf/src/**", "", [MAPPING]),
  area("libs/interface/src/**", "libs/interface", [CHECKED_BY_SEVERAL]),
  // Its middleware has the types of the servers that it extends.
  area("packages/sdk/src/**", "services/gateway", [NO_NODE]),
  // They are bundled apart.
  area("packages/sdk/src/{context-storage.ts,spool.ts,spool/**}", "services/gateway", []),
  area("libs/contract/src/**", "", [
    {
      regex: "^@annals/",
      message: "contract holds the words that all packages share: it imports none of them.",
    },
  ]),
  ...["export", "keys", "ledger", "webhook-dispatcher"].flatMap((service) =>
    Object.entries(NOUN_LAYERS).map(([part, allowed]) => nounLayer(service, part, allowed)),
  ),
  ...Object.entries(GATEWAY_LAYERS).map(([part, allowed]) => gatewayLayer(part, allowed)),
];
