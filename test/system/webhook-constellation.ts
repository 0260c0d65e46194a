// What the flows of webhooks share: a whole system whose dispatcher trusts the test's authority and
// may reach the loopback interface, of the file's own or that of the run, and a subscriber's servers.

import type { StackOptions } from "@annals/local";
import { CertificateAuthority } from "@annals/certificates";
import { HttpClient, newClient, Subscriber } from "@annals/testing";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConstellationOptions, startConstellation } from "./constellation.ts";
import { shared } from "./shared-systems.ts";

export type WebhookSystem = Awaited<ReturnType<typeof startWebhookSystem>>;

/** The system that files share; `close` closes what the file has opened. */
export async function sharedWebhookSystem() {
  const stack = await shared("webhooks");
  if (stack.authority === undefined) throw new Error("the system of webhooks has no authority");
  const authority = await CertificateAuthority.load(stack.authority);
  return { stack, authority, ...ends(stack, authority) };
}

/** `settings` are variables of the dispatcher, `others` those of other services. */
export async function startWebhookSystem(
  settings: Readonly<Record<string, string>> = {},
  options: Omit<ConstellationOptions, "env"> = {},
  others: NonNullable<StackOptions["env"]> = {},
) {
  const authority = await CertificateAuthority.create();
  const folder = mkdtempSync(join(tmpdir(), "annals-ca-"));
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const stack = await startConstellation({
    rateLimitPerMinute: 1_000_000,
    ...options,
    env: {
      ...others,
      "webhook-dispatcher": {
        ANNALS_WEBHOOK_CA_FILE: caFile,
        ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES: "true",
        ...settings,
      },
    },
  });
  const { close, ...opened } = ends(stack, authority);
  return {
    stack,
    authority,
    ...opened,
    processOf: (service: string, index = 1) => {
      const found = stack.processes.find((one) => one.service === service && one.index === index);
      if (!found) throw new Error(`there is no ${service} ${index}`);
      return found;
    },
    stop: async () => {
      await close();
      await stack.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Both ends of a system: clients of accounts of their own, and servers of subscribers. */
function ends(stack: Parameters<typeof newClient>[0], authority: CertificateAuthority) {
  const subscribers: Subscriber[] = [];
  const clients: HttpClient[] = [];
  return {
    subscriber: async (...hosts: string[]) => {
      const subscriber = await Subscriber.start(authority, ...hosts);
      subscribers.push(subscriber);
      return subscriber;
    },
    /** A client with a key of a new account. */
    client: async () => {
      const { accountId, client, key } = await newClient(stack);
      clients.push(client);
      return Object.assign(client, { accountId, key });
    },
    close: async () => {
      for (const client of clients) client.close();
      await Promise.all(subscribers.map((one) => one.close()));
    },
  };
}
