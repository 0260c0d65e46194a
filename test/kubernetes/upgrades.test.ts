// Guarantees, at 100 appends a second, all of them answered with 201: an upgrade that replaces every pod and
// its rollback; a change of plans; certificates and keys that are replaced without a restart. An upgrade to
// an image that is absent, or to a setting that is refused, leaves the old pods as they are.

import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation, type Pod, type Service, SERVICES, WITHIN_MS } from "./installation.ts";
import { eventually, WAIT } from "./namespace.ts";

const REPLICAS = 2;
const BACKENDS = SERVICES.filter((name) => name !== "gateway");
/** What is known to fail is not waited for. */
const BRIEFLY = ["--timeout", "20s"];
/** docs/operators/upkeep.md#keys-and-rotation: so long after the new secret signs, the old one may go. */
const ADMISSION_MS = 60_000;

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(() => installation?.namespace.remove());

const kubectl = (...words: string[]) => installation.namespace.kubectl(...words);
const allPods = async (): Promise<Pod[]> =>
  (await Promise.all(SERVICES.map((name) => installation.ready(name, REPLICAS)))).flat();
const overlap = (some: Set<string>, others: Set<string>) =>
  [...some].filter((name) => others.has(name));
const namesOf = (pods: readonly Pod[]) => new Set(pods.map(({ name }) => name));

async function revision(): Promise<number> {
  const secrets = await kubectl("get", "secrets", "-l", "owner=helm,status=deployed", "-o", "name");
  return Number(secrets.trim().split(".v").at(-1));
}

test("an upgrade replaces every pod, and a rollback does", async () => {
  const before = namesOf(await allPods());
  const from = await revision();
  const { values } = installation;
  const appended = await installation.withoutFailure(async () => {
    await installation.upgrade({ pod: { annotations: { "example.com/roll": "1" } } }, ...WAIT);
    const between = namesOf(await allPods());
    expect(overlap(between, before)).toStrictEqual([]);
    await installation.namespace.rollback(from, ...WAIT);
    installation.values = values;
    expect(overlap(namesOf(await allPods()), between)).toStrictEqual([]);
  });
  expect(appended).toBeGreaterThan(0);
});

/** The first fails in its migrations, and has changed nothing. The second has to be rolled back. */
const BROKEN: Record<string, { values: object; words: string[]; isRolledBack: boolean }> = {
  "an image that is absent": {
    values: { image: { tag: "absent" } },
    words: BRIEFLY,
    isRolledBack: false,
  },
  "a setting that the gateway refuses": {
    values: { gateway: { settings: { ANNALS_REQUESTS_MAX_UNDER_WAY: "0" } } },
    words: ["--wait", ...BRIEFLY],
    isRolledBack: true,
  },
};

test.each(Object.entries(BROKEN))(
  "%s leaves the old pods serving",
  async (_, { values, words, isRolledBack }) => {
    const before = await allPods();
    const { namespace } = installation;
    const from = await revision();
    const appended = await installation.withoutFailure(async () => {
      const merged = { ...installation.values, ...values };
      await expect(namespace.helm("upgrade", merged, ...words)).rejects.toThrow(/failed|timed out/);
      for (const service of SERVICES) {
        const there = namesOf(await installation.pods(service));
        for (const { name } of before.filter(({ name: each }) =>
          each.startsWith(`annals-${service}-`),
        ))
          expect(there).toContain(name);
      }
      if (isRolledBack) await namespace.rollback(from, ...WAIT);
    });
    expect(appended).toBeGreaterThan(0);
    expect(namesOf(await allPods())).toStrictEqual(namesOf(before));
  },
);

test("a plan loses exports and has them again", async () => {
  const exported = () => installation.request("POST", "/v1/exports", { format: "jsonl" });
  const plans = (featuresLeftOut: string[]) => ({
    keys: {
      ...(installation.values as { keys: object }).keys,
      plans: { default: "only", plans: { only: { features_left_out: featuresLeftOut } } },
    },
  });
  const appended = await installation.withoutFailure(async () => {
    await installation.upgrade(plans(["exports"]), ...WAIT);
    expect(await exported()).toMatchObject({ status: 403 });
    await installation.upgrade(plans([]), ...WAIT);
    expect(await exported()).toMatchObject({ status: 201 });
  });
  expect(appended).toBeGreaterThan(0);
});

/** How often each pod of the services has logged that something new is in use. */
async function haveRead(services: readonly Service[], text: string, times: number): Promise<void> {
  // The kubelet looks at the Secrets of a pod that has changed at once, and of others each minute.
  for (const service of services)
    await kubectl(
      "annotate",
      "pods",
      "-l",
      `app.kubernetes.io/component=${service}`,
      `look=${times}${text.length}`,
      "--overwrite",
    );
  for (const { name } of (
    await Promise.all(services.map((each) => installation.ready(each, REPLICAS)))
  ).flat())
    await eventually(WITHIN_MS, async () => {
      const lines = (await kubectl("logs", name)).split("\n").filter((line) => line.includes(text));
      return lines.length >= times || undefined;
    });
}

test("certificates and keys are replaced without a restart", async () => {
  const before = await allPods();
  const { namespace } = installation;
  const webhook = { url: namespace.receiver, events: ["event.created"] };
  const made = await installation.request("POST", "/v1/webhooks", webhook);
  const setActive = (active: boolean) =>
    installation.request("PATCH", `/v1/webhooks/${made.body.data.id}`, { active });
  await setActive(false);
  const secrets = {
    "annals-admission": {
      key: "secrets",
      setting: "ANNALS_ADMISSION_SECRET_FILE",
      readers: BACKENDS,
    },
    "annals-webhook-dispatcher-keys": {
      key: "keys",
      setting: "ANNALS_WEBHOOK_SECRET_KEY_FILE",
      readers: ["webhook-dispatcher"] as const,
    },
  };
  const appended = await installation.withoutFailure(async () => {
    const old: Record<string, string> = {};
    for (const [name, { key }] of Object.entries(secrets))
      old[name] = (await namespace.secret(name, key)).trim();
    const fresh = `k2:${Buffer.alloc(32, 9).toString("base64")}`;
    const steps = [
      (was: string) => `${was}\n${fresh}`,
      (was: string) => `${fresh}\n${was}`,
      () => fresh,
    ];
    for (const [step, textOf] of steps.entries()) {
      for (const [name, { key }] of Object.entries(secrets)) {
        const stringData = { [key]: `${textOf(old[name]!)}\n` };
        await kubectl("patch", "secret", name, "--patch", JSON.stringify({ stringData }));
      }
      for (const { setting, readers } of Object.values(secrets))
        await haveRead(readers, `"setting":"${setting}","msg":"new keys are in use"`, step + 1);
      if (step !== 1) continue;
      const command = ["annals", "webhooks", "rotate-sealing-key"];
      await kubectl("exec", "deploy/annals-webhook-dispatcher", "--", ...command);
      await delay(ADMISSION_MS);
    }
    const certificates = SERVICES.map((name) => `annals-${name}-tls`);
    await kubectl("delete", "secret", ...certificates);
    await installation.upgrade({}, ...WAIT);
    await haveRead(SERVICES, "new certificates are in use", 1);
  });
  expect(appended).toBeGreaterThan(0);
  expect(await allPods()).toStrictEqual(before);
  await setActive(true);
  await installation.request("POST", "/v1/events", { action: "after.rotation" });
  await eventually(
    WITHIN_MS,
    async () =>
      (await kubectl("logs", "client", "--tail=1000")).includes("after.rotation") || undefined,
  );
});
