// Guarantee: the list of names that every program accepts is exactly what the programs declare, so that no
// setting is refused by a service that shares its environment, and no forgotten name is accepted.

import { expect, test } from "vitest";
import { settingsOf, textOf } from "./deployment.ts";
import { FILES, SERVICES } from "./sources.ts";

const SETTING_NAMES = [
  ...textOf("libs/contract/src/setting-names.ts").matchAll(/^ {2}"(ANNALS_\w+)",$/gm),
].map(([, name]) => name);

/** Read by the examples of docs/ and test/example, and by deploy/compose.yaml. */
const OF_CLIENTS = [
  "ANNALS_API_KEY",
  "ANNALS_BASE_URL",
  "ANNALS_KEY",
  "ANNALS_POSTGRES_PASSWORD",
  "ANNALS_URL",
];

test("SETTING_NAMES has every setting of the services, of npm start and of the clients, and no more", () => {
  const local = textOf("deploy/local/src/settings.ts").matchAll(/name: "(ANNALS_\w+)"/g);
  const declared = new Set([
    ...SERVICES.flatMap((service) => [...settingsOf(service)]),
    ...[...local].map(([, name = ""]) => name),
    ...OF_CLIENTS,
  ]);
  expect(SETTING_NAMES).toStrictEqual([...declared].toSorted());
});

test.each(OF_CLIENTS)("%s is still read by an example or by compose", (name) => {
  const examples = FILES.filter(({ path }) =>
    /^(docs\/receivers|test\/example|deploy\/compose)/.test(path),
  );
  expect(examples.some(({ text }) => text.includes(name))).toBe(true);
});
