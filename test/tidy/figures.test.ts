// Guarantee: the figures of the pages that users and operators rely on are those of the code. A row names a
// page and what stands around its figure, and the constant, or the default of a setting, that it repeats.

import { expect, test } from "vitest";
import { textOf } from "../../deploy/generate/sources.ts";

const INTERFACE = "docs/interface.md";
const TENANTS = "docs/operators/multi-tenant.md";
const SECURITY = "SECURITY.md";
const RELIABILITY = "docs/reliability.md";

const GATEWAY = "services/gateway/src";
const DISPATCHER = "services/webhook-dispatcher/src";
const PLAN = "services/keys/src/accounts/rules/plan.ts";
const HOLD = "services/ledger/src/holds/rules/new-hold.ts";
const LISTS = "services/ledger/src/events/rpc";
const TEXT_BYTES = /\btextBytes: ([^,]+),/;
const AUDIT = "libs/postgres/src/audit-windows.ts";
const EXPORTS = "services/export/src/config.ts";
const LIMITS = `${GATEWAY}/limits.ts`;
const ANONYMOUS = /^const ANONYMOUS = \{ total: \d+, share: (\d+)/m;
const BODY_DEPTH = /^const MAX_DEPTH = (\d+)/m;

const constant = (name: string) => new RegExp(`^(?:export )?const ${name} = ([^;]+);`, "m");
const member = (name: string) => new RegExp(`^  ${name}: ([^,]+),`, "m");
const fallback = (setting: string) =>
  new RegExp(`"${setting}",[^]*?fallback: (?:String\\(([^;]+?)\\)|"(\\d+)")`);

const ROWS: readonly (readonly [page: string, figure: RegExp, file: string, code: RegExp])[] = [
  [
    INTERFACE,
    /(\d+) in 60 seconds per key/,
    `${GATEWAY}/config.ts`,
    fallback("ANNALS_RATE_LIMIT_PER_MINUTE"),
  ],
  [
    INTERFACE,
    /(\d+) in 60 seconds per widget/,
    `${GATEWAY}/config.ts`,
    fallback("ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE"),
  ],
  [INTERFACE, /by default (\d+) times that of a key/, PLAN, constant("KEYS_AT_FULL_RATE")],
  [INTERFACE, /tokens \| ([\d,]+),/, PLAN, /maxKeys: ([\d_]+)/],
  [INTERFACE, /tokens \| [\d,]+, ([\d,]+) and/, PLAN, /maxWebhooks: ([\d_]+)/],
  [INTERFACE, /tokens \| [\d,]+, [\d,]+ and ([\d,]+) live/, PLAN, /maxWidgetTokens: ([\d_]+)/],
  [INTERFACE, /when (\d+ MiB) of parts were/, `${LISTS}/list-events.ts`, TEXT_BYTES],
  [INTERFACE, /read \((\d+ MiB) with/, `${LISTS}/list-widget-events.ts`, TEXT_BYTES],
  [INTERFACE, /Holds \| ([\d,]+) active/, HOLD, constant("MAX_ACTIVE")],
  [INTERFACE, /Holds \| .*?, ([\d,]+) with/, HOLD, constant("MAX_PLACED")],
  [INTERFACE, /Body \| (\d+ MiB)/, LIMITS, member("bodyMaxBytes")],
  [INTERFACE, /Body \| .*?a batch (\d+ MiB)/, LIMITS, member("batchBodyMaxBytes")],
  [INTERFACE, /; ([\d,]+) members and elements/, LIMITS, member("bodyMaxValues")],
  [INTERFACE, /elements, a batch ([\d,]+);/, LIMITS, member("batchBodyMaxValues")],
  [INTERFACE, /nesting of (\d+) levels outside/, `${GATEWAY}/edge/json-body.ts`, BODY_DEPTH],
  [INTERFACE, /Event \| (\d+ KiB)/, LIMITS, member("eventMaxBytes")],
  [INTERFACE, /nesting of (\d+) levels, including the event/, LIMITS, member("eventMaxDepth")],
  [
    INTERFACE,
    /Batch \| 1 to ([\d,]+) events/,
    "libs/event/src/event-limits.ts",
    constant("MAX_EVENTS"),
  ],
  [
    INTERFACE,
    /target \| 1 to (\d+) characters/,
    "libs/event/src/event-limits.ts",
    constant("MAX_TEXT_LENGTH"),
  ],
  [
    INTERFACE,
    /of a key \| 1 to (\d+) characters/,
    `${GATEWAY}/api-keys/api-key-name.ts`,
    constant("MAX_NAME_LENGTH"),
  ],
  [INTERFACE, /Page \| 1 to (\d+) items/, `${GATEWAY}/render/page.ts`, constant("MAX_LIMIT")],
  [INTERFACE, /items; default (\d+)/, `${GATEWAY}/render/page.ts`, constant("DEFAULT_LIMIT")],
  [
    INTERFACE,
    /headers \| ([\d,]+) characters/,
    `${GATEWAY}/url-length.ts`,
    constant("MAX_URL_LENGTH"),
  ],
  [
    INTERFACE,
    /characters; (\d+) headers/,
    `${GATEWAY}/edge/request-head.ts`,
    constant("MAX_HEADERS"),
  ],
  [INTERFACE, /headers, (\d+ KiB) together/, `${GATEWAY}/app.ts`, constant("MAX_HEADER_BYTES")],
  [
    INTERFACE,
    /send a request \| (\d+ s)econds/,
    `${GATEWAY}/config.ts`,
    fallback("ANNALS_REQUEST_TIMEOUT_MS"),
  ],
  [
    INTERFACE,
    /reading a response \| (\d+ s)econds/,
    `${GATEWAY}/config.ts`,
    fallback("ANNALS_RESPONSE_WINDOW_MS"),
  ],
  [INTERFACE, /without a key \| (\d+) per address/, `${GATEWAY}/edge/resources.ts`, ANONYMOUS],
  [
    INTERFACE,
    /at most (\d+) exports that are not/,
    EXPORTS,
    fallback("ANNALS_EXPORT_MAX_UNDER_WAY_PER_ACCOUNT"),
  ],
  [
    INTERFACE,
    /`Retry-After`\), ([\d,]+) in all, and/,
    EXPORTS,
    fallback("ANNALS_EXPORT_MAX_KEPT_PER_ACCOUNT"),
  ],
  [INTERFACE, /in all, and (\d+ GiB) of/, EXPORTS, fallback("ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT")],
  [
    INTERFACE,
    /expires (\d+) days after its creation/,
    EXPORTS,
    fallback("ANNALS_EXPORT_RETENTION_DAYS"),
  ],
  [
    TENANTS,
    /(\d+) per widget token/,
    `${GATEWAY}/config.ts`,
    fallback("ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE"),
  ],
  [TENANTS, /by default (\d+) times a key's/, PLAN, constant("KEYS_AT_FULL_RATE")],
  [TENANTS, /`max_keys`:[^|]*\| ([\d,]+)/, PLAN, /maxKeys: ([\d_]+)/],
  [TENANTS, /`max_webhooks` \| ([\d,]+)/, PLAN, /maxWebhooks: ([\d_]+)/],
  [TENANTS, /`max_sinks`.*? \| ([\d,]+)/, PLAN, /maxSinks: ([\d_]+)/],
  [TENANTS, /`max_search_fields`:.*? \| ([\d,]+)/, PLAN, /maxSearchFields: ([\d_]+)/],
  [TENANTS, /`max_widget_tokens`:[^|]*\| ([\d,]+)/, PLAN, /maxWidgetTokens: ([\d_]+)/],
  [
    TENANTS,
    /PER_ACCOUNT`, (\d+ GiB) by default/,
    EXPORTS,
    fallback("ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT"),
  ],
  [
    TENANTS,
    /(\d+) statements at a time in a ledger/,
    "services/ledger/src/search/search-turns.ts",
    constant("CONCURRENCY"),
  ],
  [
    TENANTS,
    /in a ledger, (\d+) of one account/,
    "services/ledger/src/search/search-turns.ts",
    constant("PER_ACCOUNT"),
  ],
  [
    TENANTS,
    /Exports \| (\d+) that are not/,
    EXPORTS,
    fallback("ANNALS_EXPORT_MAX_UNDER_WAY_PER_ACCOUNT"),
  ],
  [
    TENANTS,
    /finished, ([\d,]+) in all per account/,
    EXPORTS,
    fallback("ANNALS_EXPORT_MAX_KEPT_PER_ACCOUNT"),
  ],
  [
    TENANTS,
    /([\d,]+) pending with bodies/,
    `${DISPATCHER}/config.ts`,
    fallback("ANNALS_WEBHOOK_MAX_PENDING_PER_ACCOUNT"),
  ],
  [
    TENANTS,
    /bodies of (\d+ MiB)/,
    `${DISPATCHER}/config.ts`,
    fallback("ANNALS_WEBHOOK_MAX_PENDING_BYTES_PER_ACCOUNT"),
  ],
  [
    TENANTS,
    /(\d+) in flight per account/,
    `${DISPATCHER}/serve.ts`,
    /maxInFlightPerAccount: ([\d_]+)/,
  ],
  [TENANTS, /of the free ones of (\d+)/, `${DISPATCHER}/serve.ts`, /maxInFlightPerHost: ([\d_]+)/],
  [TENANTS, /by (\d+) entries of/, AUDIT, constant("MAX_ENTRIES_PER_MINUTE")],
  [
    SECURITY,
    /interrupted within (\d+ s)econds/,
    `${GATEWAY}/exports/export-content.ts`,
    constant("READMIT_INTERVAL_MS"),
  ],
  [
    RELIABILITY,
    /more than (\d+) slots held/,
    `${GATEWAY}/config.ts`,
    fallback("ANNALS_REQUESTS_MAX_PER_ACCOUNT"),
  ],
  [
    RELIABILITY,
    /more than (\d+ MiB) held \|\n\| Unread/,
    `${GATEWAY}/config.ts`,
    fallback("ANNALS_BYTES_MAX_PER_ACCOUNT"),
  ],
  [
    RELIABILITY,
    /unread downloads`: more than (\d+)/,
    "test/faults/gateway-controls.ts",
    member("downloads"),
  ],
  [
    RELIABILITY,
    /40 verifications`: more than (\d+)/,
    "test/faults/gateway-controls.ts",
    member("verifications"),
  ],
  [
    RELIABILITY,
    /`connection: close` in every response, and then for up to (\w+ s)econds/,
    `${GATEWAY}/edge/drain.ts`,
    constant("MAX_DRAIN_MS"),
  ],
];

/** What a page counts: the code of each match is one. */
const COUNTS: readonly (readonly [page: string, figure: RegExp, file: string, counted: RegExp])[] =
  [
    [
      "docs/kubernetes-reference.md",
      /(\d+) alerts with/,
      "helm/annals/alerts.yml",
      /^ *- alert: /gm,
    ],
  ];

const UNITS: Readonly<Record<string, number>> = {
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  s: 1_000,
};
const WORDS: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3, four: 4 };

/** A figure of a page: `2 GiB`, `1,000`, `three s`. */
function figureOf(text: string): number {
  const [number = "", unit = ""] = text.replaceAll(",", "").split(" ");
  return (WORDS[number] ?? Number(number)) * (UNITS[unit] ?? 1);
}

/** A product of the code: `64 * 1024`, `2 * 1024 ** 3`, `16 * MIB`. */
function productOf(text: string): number {
  return text
    .replaceAll("_", "")
    .split(/(?<!\*) ?\*(?!\*) ?/)
    .map((factor) => {
      const [base = "", exponent = "1"] = factor.trim().split(/ ?\*\* ?/);
      const value = { KIB: 2 ** 10, MIB: 2 ** 20 }[base] ?? Number(base);
      return value ** Number(exponent);
    })
    .reduce((product, factor) => product * factor, 1);
}

const found = (text: string, pattern: RegExp) => pattern.exec(text)?.slice(1).find(Boolean) ?? "";

test.each(ROWS)("%s: %s is that of %s", (page, figure, file, code) => {
  const [there, here] = [found(textOf(page), figure), found(textOf(file), code)];
  expect(there, `${figure} in ${page}`).not.toBe("");
  expect(here, `${code} in ${file}`).not.toBe("");
  expect(figureOf(there)).toBe(productOf(here));
});

test.each(COUNTS)("%s: %s is what %s has", (page, figure, file, counted) => {
  expect(Number(found(textOf(page), figure))).toBe(textOf(file).match(counted)?.length);
});

test("the verifier in Python has about as many lines as the README says", () => {
  const said = Number(found(textOf("README.md"), /a verifier in about (\d+) lines of Python/));
  const lines = textOf("packages/sdk-python/src/annals_sdk/verify.py").split("\n").length - 1;
  expect(Math.round(lines / 50) * 50).toBe(said);
});

test("the reliability page counts the links and attacks that there are", () => {
  const page = textOf(RELIABILITY);
  const listed = (file: string, name: string, item: RegExp) => {
    const list = new RegExp(`const ${name} = \\[([^]*?)\\n\\] as const`).exec(textOf(file));
    return list?.[1]?.match(item)?.length ?? 0;
  };
  const links = listed("test/faults/network-system.ts", "ENDS", /^ {2}\[/gm);
  expect(found(page, /\| (\d+) links, each/)).toBe(String(links));
  for (const [file, word] of [
    ["fairness", "Nine"],
    ["hostile-bodies", "Five"],
    ["hostile-slots", "Six"],
  ] as const) {
    const attacks = listed(`test/faults/${file}-attacks.ts`, "ATTACK_NAMES", /^ {2}"/gm);
    expect(attacks).toBe({ Five: 5, Six: 6, Nine: 9 }[word]);
    expect(page).toMatch(new RegExp(`${word} attacks[^|]*\`${file}\\.test\\.ts\``));
  }
});
