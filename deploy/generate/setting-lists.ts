// What follows from the settings that the programs declare: the tables of docs/operators/settings.md, the
// list SETTING_NAMES, and the names that `settings` of a service takes in the chart. Called by main.ts. It
// must never change what stands around them.

import {
  databaseSettings,
  processSettings,
  rpcServerSettings,
  rpcTlsSettings,
  type Setting,
} from "@annals/chassis";
import { messagingSettings } from "@annals/messaging";
import {
  filled,
  LOCAL_SETTINGS,
  memberOf,
  SERVICES,
  settingsOf,
  tableOf,
  textOf,
} from "./sources.ts";

const PAGE = "docs/operators/settings.md";
const NAMES = "libs/contract/src/setting-names.ts";
const SCHEMA = "helm/annals/values.schema.json";

/** Read by the examples of docs/ and test/example, and by deploy/compose.yaml. */
export const OF_CLIENTS = ["ANNALS_KEY", "ANNALS_POSTGRES_PASSWORD", "ANNALS_URL"];

/** Set by the chart from values of its own, or fixed by its ports: `settings` may not name them. */
const OF_THE_CHART = new RegExp(
  `^OTEL_\\w+$|^ANNALS_(${[
    "LOG_LEVEL|OTLP_ENDPOINT|(ADMIN_)?PORT|\\w+_ADDRESS|RATE_LIMIT_PER_MINUTE",
    "(SERVE_)?DATABASE_URL|DATABASE_ROLE_PREFIX|NATS_URL|NATS_CA_FILE|PLANS_FILE",
    "BOOTSTRAP_KEY|EXPORT_STORAGE",
    "WEBHOOK_SECRET_KEY_FILE|WEBHOOK_CA_FILE|SINKS_FILE|TLS_\\w+_FILE|DANGEROUS_PLAINTEXT",
    "ADMISSION_SECRET_FILE|LOG_KEY_FILE|LOG_ORIGIN|LOG_EPOCH_S|LOG_S3_\\w+",
    "ADMIN_API_\\w+|IDENTITY_FILE|PUBLIC_URL",
  ].join("|")})$`,
);

/** The sections of the page that are not of one service. */
const SHARED: readonly (readonly [heading: string, settings: readonly Setting<unknown>[]])[] = [
  ["Every process", Object.values(processSettings)],
  ["TLS between the services", Object.values(rpcTlsSettings)],
  ["Every service but the gateway: RPCs", Object.values(rpcServerSettings)],
  ["Every service but the gateway: PostgreSQL", Object.values(databaseSettings)],
  ["ledger, export, webhook-dispatcher: NATS", Object.values(messagingSettings)],
];

function settingsPage(): string {
  const common = new Set(SHARED.flatMap(([, settings]) => settings));
  const own = SERVICES.map((service) => {
    return [service, tableOf(service).filter((setting) => !common.has(setting))] as const;
  });
  return [...SHARED, ...own].reduce((page, [heading, settings]) => {
    const table = new RegExp(`(\\n## ${heading}\\n\\n.*\\n\\|[-|]+\\n)(?:\\|.*\\n)*()`);
    return filled(page, table, settings.map(rowOf));
  }, textOf(PAGE));
}

function rowOf({ about, env, fallback, secret }: Setting<unknown>): string {
  const preset = fallback === "" ? "none" : fallback && `\`${fallback}\``;
  return `| \`${env}\` | ${preset ?? "required"} | ${about}${secret ? " Secret." : ""} |\n`;
}

function settingNames(): string {
  const declared = [...SERVICES.flatMap((service) => [...settingsOf(service)]), ...LOCAL_SETTINGS];
  const names = new Set([...declared.filter((name) => name.startsWith("ANNALS_")), ...OF_CLIENTS]);
  const lines = [...names].toSorted().map((name) => `  "${name}",\n`);
  return filled(textOf(NAMES), /(const SETTING_NAMES = \[\n)[^\]]*(\];)/, lines);
}

function chartSchema(): string {
  return SERVICES.reduce((schema, service) => {
    const names = [...settingsOf(service)].filter((name) => !OF_THE_CHART.test(name)).toSorted();
    const start = `\\n {4}"${memberOf(service)}": \\{[^]*?\\n {8}"settings": \\{[^]*?"enum": \\[`;
    const list = new RegExp(`(${start})[^\\]]*(\\n {12}\\])`);
    return filled(schema, list, [names.map((name) => `\n${" ".repeat(14)}"${name}"`).join(",")]);
  }, textOf(SCHEMA));
}

/** Each file with what it should be. */
export function settingLists(): readonly (readonly [path: string, text: string])[] {
  return [
    [PAGE, settingsPage()],
    [NAMES, settingNames()],
    [SCHEMA, chartSchema()],
  ];
}
