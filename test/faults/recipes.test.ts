// Guarantee: with the configurations of docs/recipes.md, each decision of a real OPA and Cerbos, and each
// event of a real Keycloak, is stored once, with its actor, target and outcome: though answers are lost, and
// a Collector is killed that then reads everything again. No secret of an input is stored, and no text of a
// client changes the actor. A wrong key and a used-up quota are in the Collector's log, and what was refused
// for them can be stored later. The run prints which programs are not on this machine.

import {
  eventually,
  HttpClient,
  newAccount,
  newKey,
  openProxy,
  ownerOf,
  type Proxy,
  type TestAccount,
} from "@annals/testing";
import { mkdir, mkdtempDisposable, readdir, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { findCollector } from "../system/built-collector.ts";
import { startConstellation } from "../system/constellation.ts";
import { metricOf } from "../system/metric-of.ts";
import { RecipeCollector, recipeFiles } from "../system/recipe-collector.ts";
import { SOURCES } from "../system/recipe-sources.ts";
import { CASES, type Made, type Name, SECRET } from "./recipe-cases.ts";

/** The members of an event that the tests read. */
interface Event {
  readonly action: string;
  readonly actor: { readonly id?: string };
  readonly target: { readonly id?: string; readonly type?: string };
  readonly metadata: { readonly outcome: string };
  readonly occurred_at: string;
}

const STORED_WITHIN_MS = 120_000;
const TEST_TIMEOUT_MS = 600_000;
/** Plans of the system, of which one has so many events in a month. */
const ANY = "any";
const FEW = { plan: "few", events: 3 };
const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

const collector = await findCollector(inject("form").name === "full").catch(
  (error: Error) => error,
);
const found: { readonly name: Name; readonly program: string }[] = [];
const missing: string[] = [];
if (typeof collector !== "string") missing.push(`a Collector: ${collector.message}`);
else
  for (const name of Object.keys(SOURCES) as Name[])
    await SOURCES[name].find().then(
      (program) => found.push({ name, program }),
      (error: Error) => missing.push(`${name}: ${error.message}`),
    );
if (missing.length > 0)
  // oxlint-disable-next-line no-console -- nothing of the product needs them, so their lack fails nothing
  console.warn(`not tested, because it is not here: ${missing.join("; ")}`);

test("each file of the page that is YAML can be read, and each program is there or said not to be", () => {
  const files = [...recipeFiles()].filter(([name]) => name.endsWith(".yaml"));
  expect(files).toHaveLength(6);
  for (const [, text] of files) expect(parse(text)).toBeTypeOf("object");
  expect(found.length + missing.length).toBeGreaterThan(0);
});

/** Started by the first test that has a program. */
let started: ReturnType<typeof start> | undefined;
afterAll(async () => (await started)?.stop());

async function start() {
  const folder = await mkdtempDisposable(join(tmpdir(), "annals-recipes-"));
  const plansFile = join(folder.path, "plans.json");
  const plans = { default: ANY, plans: { [ANY]: {}, [FEW.plan]: { monthly_events: FEW.events } } };
  await writeFile(plansFile, JSON.stringify(plans));
  const stack = await startConstellation({
    shared: inject("stack"),
    env: { keys: { ANNALS_PLANS_FILE: plansFile } },
    without: ["nats", "export", "webhook-dispatcher"],
  });
  const { databaseUrl, processes } = stack;
  const owner = ownerOf(databaseUrl);
  const { adminUrl, baseUrl = "" } = processes.find(({ service }) => service === "gateway") ?? {};
  return {
    baseUrl,
    databaseUrl,
    replayed: () =>
      metricOf(adminUrl, "annals_intake_items_total", 'source="otlp",outcome="replayed"'),
    setPlan: ({ accountId }: TestAccount, plan: string) =>
      owner.query("UPDATE keys.accounts SET plan = $2 WHERE account_id = $1", [accountId, plan]),
    stop: async () => {
      await owner.close();
      await stack.stop();
      await folder.remove();
    },
  };
}

/** An account, a running program whose logs are in a folder, and a key for a Collector there. */
async function open({ name, program }: (typeof found)[number]) {
  const system = await (started ??= start());
  const folder = await mkdtempDisposable(join(tmpdir(), "annals-recipes-"));
  onTestFinished(() => folder.remove());
  await mkdir(join(folder.path, "logs", name), { recursive: true });
  const account = await newAccount(system.databaseUrl);
  const { key } = await newKey(system.databaseUrl, account.accountId, ["events:write"]);
  const client = new HttpClient(system.baseUrl, account.key);
  const source = await SOURCES[name].start(program, folder.path);
  onTestFinished(() => source.stop());
  const collect = async (more: { readonly key?: string; readonly url?: string } = {}) => {
    const options = { folder: folder.path, key, recipe: name, url: system.baseUrl, ...more };
    const running = await RecipeCollector.start(String(collector), options);
    onTestFinished(() => running.end("SIGKILL"));
    return running;
  };
  const stored = async () => (await client.get("/v1/events?limit=100")).body.data as Event[];
  const count = (wanted: number) =>
    eventually(
      `${wanted} events`,
      async () => {
        const events = await stored();
        return events.length >= wanted && events;
      },
      STORED_WITHIN_MS,
    );
  const logs = join(folder.path, "logs", name);
  /** Gives its log another name, as it does itself when the log is too large. */
  const rotate = async () => {
    const [file = ""] = await readdir(logs);
    await rename(join(logs, file), join(logs, CASES[name].rotated));
  };
  return { account, collect, count, rotate, source, stored, system };
}

/** A proxy that loses the answer of the first request. */
async function losing(url: string): Promise<Proxy & { readonly lost: () => number }> {
  const proxy = await openProxy(url);
  onTestFinished(() => proxy.close());
  let lost = 0;
  proxy.onRequest = (chunk) => {
    if (lost > 0 || !chunk.toString("latin1").startsWith("POST ")) return "pass";
    lost += 1;
    return "cut";
  };
  return Object.assign(proxy, { lost: () => lost });
}

/** What a recipe has made of an event. The ids that Keycloak gives are the word ID. */
function madeOf({ action, actor, metadata, target }: Event): Made {
  const of = (id = null as string | null) => id?.replace(ID, "ID") ?? null;
  const { outcome } = metadata;
  return { action, actor: of(actor.id), target: [target.type ?? null, of(target.id)], outcome };
}

describe.each(found)("$name", (each) => {
  const { ask, events, kept } = CASES[each.name];

  test(
    "each event is stored once, though answers are lost and everything is read again",
    async () => {
      const { collect, count, rotate, source, stored, system } = await open(each);
      const { baseUrl, replayed } = system;
      const proxy = await losing(baseUrl);
      const first = await collect({ url: proxy.url });
      await ask(source.url);
      const made = await count(events.length);
      expect(proxy.lost()).toBe(1);
      await first.end("SIGKILL");
      await first.forget();
      await rotate();
      const before = await replayed();
      await collect();
      await eventually(
        "all are replayed",
        async () => (await replayed()) - before >= events.length,
        STORED_WITHIN_MS,
      );
      const all = await stored();
      expect(all).toHaveLength(made.length);
      expect(JSON.stringify(all)).not.toContain(SECRET);
      expect(JSON.stringify(all)).toContain(kept);
      const byTime = all.toSorted((a, b) => a.occurred_at.localeCompare(b.occurred_at));
      expect(byTime.map(madeOf)).toEqual(events);
    },
    TEST_TIMEOUT_MS,
  );
});

describe.each(found.filter(({ name }) => name === "opa"))("a refused Collector", (each) => {
  const { ask, events } = CASES.opa;

  test("says that its key is wrong, and can send all of it again", async () => {
    const { collect, count, source, stored } = await open(each);
    const refused = await collect({ key: "wrong" });
    await ask(source.url);
    await eventually("it says so", () => /Dropping data.*\b401\b/.test(refused.log));
    expect(await stored()).toEqual([]);
    await refused.end("SIGTERM");
    await refused.forget();
    await collect();
    expect(await count(events.length)).toHaveLength(events.length);
  });

  test("says that the quota is used up, and sends the rest after it was raised", async () => {
    const { account, collect, count, source, system } = await open(each);
    await system.setPlan(account, FEW.plan);
    const refused = await collect();
    await ask(source.url);
    await ask(source.url);
    await eventually("it says so", () => /Will retry.*\b429\b/.test(refused.log));
    expect(await count(FEW.events)).toHaveLength(FEW.events);
    await system.setPlan(account, ANY);
    await refused.end("SIGTERM");
    await collect();
    expect(await count(2 * events.length)).toHaveLength(2 * events.length);
  });
});
