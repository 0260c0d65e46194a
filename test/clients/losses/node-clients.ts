// A process with one client of Node.js, which tracks events at a server that fails. Started by main.ts. It
// prints how many events the caller was told of: dropped by a callback, or refused with an exception.
//
//   node node-clients.ts CLIENT BASE_URL COUNT END PACKAGES [SPOOL]
//
// END is `flush`, or `none` for a program that ends without it. PACKAGES is the folder with the clients of
// others. With SPOOL it tracks nothing if the folder has events, and sends those.

import { Annals } from "@annals/sdk";
import { Spool } from "@annals/sdk/spool";
import { existsSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [client = "", baseUrl = "", countText = "", end = "", packages = "", spoolPath = ""] =
  process.argv.slice(2);
const count = Number(countText);
const FLUSH_MS = 120_000;
/** Requests at a time of clients that send one event each. */
const AT_ONCE = 10;
const numbers = Array.from({ length: count }, (_, at) => at + 1);
const load = createRequire(join(packages, "clients.cjs"));

let told = 0;
const tell = () => {
  told += 1;
};
const print = (text: string) => writeSync(1, `${text}\n`);

/** Sends one event in each request, and counts exceptions. */
async function each(send: (marker: number) => Promise<unknown>): Promise<void> {
  const left = [...numbers];
  const worker = async () => {
    for (let marker = left.shift(); marker !== undefined; marker = left.shift())
      await send(marker).catch(tell);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const CLIENTS: Readonly<Record<string, () => Promise<void>>> = {
  annals: async () => {
    const isLeft = spoolPath !== "" && existsSync(spoolPath);
    const spool = spoolPath === "" ? {} : { spool: new Spool(spoolPath) };
    const onDrop = ({ events }: { events: readonly unknown[] }) => {
      told += events.length;
    };
    const tracking = { ...spool, onDrop, onStall: () => {} };
    const annals = new Annals({ baseUrl, apiKey: "k", tracking });
    if (!isLeft) for (const marker of numbers) annals.track({ action: "a", metadata: { marker } });
    print("tracked");
    if (end === "flush") await annals.close(FLUSH_MS);
  },
  segment: async () => {
    const { Analytics } = load("@segment/analytics-node");
    const analytics = new Analytics({ writeKey: "k", host: baseUrl });
    analytics.on("error", () => {});
    for (const marker of numbers) {
      const event = { userId: "u", event: "e", properties: { marker } };
      analytics.track(event, (error: unknown) => error && tell());
    }
    print("tracked");
    if (end === "flush") await analytics.closeAndFlush({ timeout: FLUSH_MS });
  },
  posthog: async () => {
    const { PostHog } = load("posthog-node");
    const posthog = new PostHog("phc_k", { host: baseUrl });
    posthog.on("error", () => {});
    for (const marker of numbers)
      posthog.capture({ distinctId: "u", event: "e", properties: { marker } });
    print("tracked");
    if (end === "flush") await posthog.shutdown(FLUSH_MS);
  },
  workos: async () => {
    const { WorkOS } = load("@workos-inc/node");
    const { hostname: apiHostname, port } = new URL(baseUrl);
    const workos = new WorkOS("sk_k", { apiHostname, port: Number(port), https: false });
    const of = (marker: number) => ({
      action: "a",
      occurredAt: new Date(),
      actor: { id: "u", type: "user" },
      targets: [{ id: "t", type: "team" }],
      context: { location: "127.0.0.1" },
      metadata: { marker },
    });
    await each((marker) => workos.auditLogs.createEvent("org_1", of(marker)));
  },
  svix: async () => {
    const { Svix } = load("svix");
    const svix = new Svix("testsk_k", { serverUrl: baseUrl });
    const eventType = "a";
    await each((marker) => svix.message.create("app", { eventType, payload: { marker } }));
  },
};

await CLIENTS[client]?.();
print(JSON.stringify({ told }));
if (end === "flush") process.exit();
