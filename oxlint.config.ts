// What the linter checks, the import laws of docs/architecture.md included: services never import each
// other, nothing inside a service imports upward, each outside library has one home, no import cycle. Read
// by oxlint (`npm run lint`). An override replaces a rule's options, so each area states all of its laws.

import { dirname, relative } from "node:path/posix";
import { defineConfig, type OxlintOverride } from "oxlint";

/** Files that read the environment: the entry of a process, and what replaces one. */
const ENTRIES = [
  "**/main.ts",
  "**/bootstrap.mjs",
  "**/entrypoint.mjs",
  "docs/receivers/**",
  "helm/annals/test.mjs",
  "packages/viewer/examples/**",
];
const FOR_TESTS = ["**/*.test.ts", "**/src/testing/**", "test/**", "libs/testing/**"];

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
  typebox: ["libs/interface", "services/gateway"],
};

/** What a part of a service may import of it, as in docs/architecture.md. The other files may import any. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  "domain/**": [],
  "store/**": ["domain/**"],
  "operations/**": ["append/**", "search/**", "domain/**", "store/**"],
  "outbound/**": ["domain/**", "metrics.ts", "config.ts"],
  "append/**": ["domain/**", "store/**", "metrics.ts"],
  "evidence/**": ["domain/**", "store/**", "metrics.ts"],
  "search/**": ["domain/**", "store/**", "metrics.ts"],
  "verify/**": ["domain/**", "evidence/**", "search/**", "store/**", "metrics.ts"],
  "workers/**": [
    "append/**",
    "evidence/**",
    "search/**",
    "verify/**",
    "domain/**",
    "store/**",
    "outbound/**",
    "metrics.ts",
    "sinks/rules/**",
    "sinks/exports.ts",
  ],
  "rpc/**": [
    "append/**",
    "operations/**",
    "evidence/**",
    "search/**",
    "verify/**",
    "workers/**",
    "domain/**",
    "store/**",
    "outbound/**",
    "metrics.ts",
    "sinks/exports.ts",
  ],
  "admin/**": ["operations/**", "domain/**", "store/**", "metrics.ts", "config.ts"],
  "commands/**": [
    "append/**",
    "operations/**",
    "evidence/**",
    "verify/**",
    "domain/**",
    "store/**",
    "config.ts",
    "metrics.ts",
    "plans-file.ts",
    "sinks/exports.ts",
  ],
  // The nouns: each has its layers, and nothing outside of it imports its store.
  "sinks/rules/**": ["domain/**"],
  "sinks/store/**": ["sinks/rules/**", "domain/**", "store/**"],
  "sinks/receiver/**": ["sinks/rules/**", "domain/**", "outbound/**"],
  "sinks/types/*/**": ["sinks/rules/**", "sinks/receiver/**", "domain/**", "outbound/**"],
  "sinks/worker/**": [
    "sinks/rules/**",
    "sinks/store/**",
    "sinks/receiver/**",
    "domain/**",
    "store/**",
    "outbound/**",
    "metrics.ts",
    "workers/erased-filters.ts",
  ],
  "sinks/rpc/**": [
    "sinks/rules/**",
    "sinks/store/**",
    "domain/**",
    "store/**",
    "outbound/producers.ts",
    "metrics.ts",
    "rpc/webhook-members.ts",
  ],
  "sinks/commands/**": [
    "sinks/rules/**",
    "sinks/store/**",
    "commands/**",
    "domain/**",
    "store/**",
    "config.ts",
  ],
  "edge/**": ["reads/**", "config.ts", "errors.ts", "limits.ts", "metrics.ts", "url-length.ts"],
  "reads/**": [],
  "admission/**": ["edge/**"],
  "render/**": [],
  "v1/*/**": ["admission/**", "intake/**", "render/**", "deps.ts", "route.ts"],
  "intake/**": ["metrics.ts"],
  "openapi/**": [
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

/** The parts that know rules alone. */
const RULES: ReadonlySet<string> = new Set(["domain/**", "sinks/rules/**"]);

/** What they may import of our packages, and of Node: arithmetic of bytes is no input or output. */
const DOMAIN_IMPORTS = [
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
    ...DOMAIN_IMPORTS.map((name) => `!${name}`),
  ],
  message: "The domain knows rules alone: no proto, no PostgreSQL, no network, no file.",
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
      "This library has its home elsewhere (HOMES in oxlint.config.ts): use what that exports.",
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

/** A part of every service, or of one that is the home of a library. */
function layer(service: string, part: string, allowed: readonly string[]): OxlintOverride {
  const folder = dirname(part);
  // A route may import one of another noun.
  const outside = folder === "." ? "./**" : folder === "v1/*" ? "../../**" : "../**";
  const upward = {
    group: [outside, ...allowed.map((each) => `!${relative(folder, each)}`)],
    message: `Nothing imports upward: ${part} may import ${allowed.join(", ") || "nothing"} of its service.`,
  };
  const more = RULES.has(part) ? [PURE] : part.endsWith("store/**") ? [NO_PROTO] : [];
  return area(`services/${service}/src/${part}`, `services/${service}`, [upward, ...more]);
}

const ARROWS: OxlintOverride[] = [
  area("{libs,packages}/*/src/**", ""),
  area("services/*/src/**", ""),
  ...[...new Set(Object.values(HOMES).flat())].map((home) => area(`${home}/src/**`, home)),
  area("libs/cli/src/**", "libs/cli"),
  area("libs/proof/src/**", "", [NO_NODE]),
  area("libs/tlog/src/**", "", [TLOG]),
  area("libs/tlog/src/text/**", "", [{ ...NO_NODE, regex: "^node:|^@annals/" }]),
  area("libs/ocsf/src/**", "", [MAPPING]),
  area("libs/interface/src/**", "libs/interface", [CHECKED_BY_SEVERAL]),
  // Its middleware has the types of the servers that it extends.
  area("packages/sdk/src/**", "services/gateway", [NO_NODE]),
  area("libs/contract/src/**", "", [
    {
      regex: "^@annals/",
      message: "contract holds the words that all packages share: it imports none of them.",
    },
  ]),
  ...["*", "gateway", "keys"].flatMap((service) =>
    Object.entries(LAYERS).map(([part, allowed]) => layer(service, part, allowed)),
  ),
];

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "node", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["**/dist/**", "proto/gen/**", "packages/sdk/src/generated/**"],
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "max-lines": ["error", { max: 300 }],
    "max-lines-per-function": ["error", { max: 60 }],
    "node/no-process-env": "error",
    "no-console": "error",
    "typescript/ban-ts-comment": ["error", { "ts-expect-error": true }],
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": [
      "error",
      { considerDefaultExhaustiveForUnions: true },
    ],
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
    "unicorn/prefer-node-protocol": "error",
    "promise/always-return": ["error", { ignoreLastCallback: true }],
    "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "expect*", "fc.assert"] }],
    "vitest/valid-expect": ["error", { maxArgs: 2 }],

    "import/no-named-as-default-member": "off",
    "import/no-unassigned-import": "off",
    "no-await-in-loop": "off",
    "no-unmodified-loop-condition": "off",
    "promise/no-callback-in-promise": "off",
    "typescript/consistent-return": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "unicorn/consistent-function-scoping": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/require-post-message-target-origin": "off",
    "vitest/no-conditional-expect": "off",
  },
  overrides: [
    ...ARROWS,
    { files: ["docs/**", "packages/viewer/examples/**"], rules: { "no-console": "off" } },
    { files: [...ENTRIES, ...FOR_TESTS], rules: { "node/no-process-env": "off" } },
    {
      files: ["libs/tlog/src/text/**"],
      excludeFiles: FOR_TESTS,
      rules: { "no-restricted-globals": ["error", "Buffer", "process"] },
    },
    { files: FOR_TESTS, rules: { "max-lines-per-function": "off" } },
    // A list of what a service is built from, top to bottom, without logic.
    { files: ["**/serve.ts"], rules: { "max-lines-per-function": ["error", { max: 120 }] } },
  ],
});
