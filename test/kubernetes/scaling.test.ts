// Guarantee: at 100 appends a second each service goes from two replicas to five and back, and every request
// is answered with 201. Within 30 seconds the new replicas do at least half of an even share of the work that
// the table of docs/kubernetes-reference.md (Scaling) names.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation, type Service, SERVICES } from "./installation.ts";
import { eventually } from "./namespace.ts";

const PAGE = join(resolve(import.meta.dirname, "../.."), "docs/kubernetes-reference.md");
const ROW = /^\| `([a-z-]+)` \| [^|]+ \| `([a-z_]+)` \|/gm;
/** Of each service, the metric that counts its work. */
const WORK = new Map(
  [...readFileSync(PAGE, "utf8").matchAll(ROW)].map(([, service, metric]) => [service, metric]),
);

const FEW = 2;
const MANY = 5;
const SHARE_WITHIN_MS = 30_000;
const HALF_OF_EVEN = (MANY - FEW) / MANY / 2;
const WEBHOOKS = 3;
/** An account may have this many that are not finished. */
const EXPORTS = 10;

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(() => installation?.namespace.remove());

/** The appends of an account go to one ledger: of so many accounts the new ones get nearly an even share. */
const ACCOUNTS = 60;
const APPENDS_PER_S = 300;
const LOADED_FOR_MS = 4_000;

/** What the load does not do by itself. */
const EXTRA: Partial<Record<Service, () => Promise<unknown>>> = {
  ledger: async () => {
    const load = installation.namespace.load(APPENDS_PER_S, await accountKeys());
    await delay(LOADED_FOR_MS);
    const { appended, statuses } = await load.stop();
    expect(statuses).toStrictEqual({ "201": appended });
  },
  export: () =>
    Promise.all(
      // Equal ones would be one.
      Array.from({ length: EXPORTS }, (_, n) =>
        installation.request("POST", "/v1/exports", { filter: { before_sequence: 1_000_000 + n } }),
      ),
    ).then((made) =>
      eventually(SHARE_WITHIN_MS, async () => {
        const ids = made.map(({ body }) => body.data.id as string);
        const states = await Promise.all(
          ids.map((id) => installation.request("GET", `/v1/exports/${id}`)),
        );
        return states.every(({ body }) => body.data.status === "completed") || undefined;
      }),
    ),
};

let keys: Promise<string[]> | undefined;

/** A key of each of the accounts, which are made once. */
function accountKeys(): Promise<string[]> {
  const script =
    `for (let n = 0; n < ${ACCOUNTS}; n += 1) ` +
    "console.log(child_process.execFileSync('annals', ['accounts', 'create', '--name', `load ${n}`]).toString())";
  const words = ["exec", "deploy/annals-keys", "-c", "keys", "--", "node", "-e", script];
  return (keys ??= installation.namespace
    .kubectl(...words)
    .then((printed) => printed.match(/annals_sk_\w+/g) ?? []));
}

test("the table names the work of every service", () => {
  expect(new Set(WORK.keys())).toStrictEqual(new Set(SERVICES));
});

test.each(SERVICES)("%s, from two to five and back", async (service) => {
  const metric = WORK.get(service) ?? "";
  if (service === "ledger") expect(await accountKeys()).toHaveLength(ACCOUNTS);
  if (service === "webhook-dispatcher") {
    for (let n = 0; n < WEBHOOKS; n += 1) {
      const url = new URL(String(n), installation.namespace.receiver).href;
      await installation.request("POST", "/v1/webhooks", { url, events: ["event.created"] });
    }
  }
  await installation.withoutFailure(async () => {
    const old = (await installation.ready(service, FEW)).map(({ name }) => name);
    const pods = await installation.scale(service, MANY);
    const fresh = pods.filter(({ name }) => !old.includes(name));
    expect(fresh).toHaveLength(MANY - FEW);
    const share = await eventually(SHARE_WITHIN_MS, async () => {
      const theirs = await installation.share(metric, pods, fresh, EXTRA[service]);
      return theirs >= HALF_OF_EVEN ? theirs : undefined;
    });
    process.stderr.write(`${service}: three new replicas of five do ${share.toFixed(2)}\n`);
    await installation.scale(service, FEW);
  });
});
