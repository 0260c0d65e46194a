// A whole system each of whose internal links goes through a proxy of its own. Called by network-cases.ts. It
// must never leave a way around a link: what does not go through its proxy would not feel it.

import { type ReservedPort, reserveFreePort, type ServiceName } from "@annals/local";
import { newClient, ownerOf } from "@annals/testing";
import { startConstellation } from "../system/constellation.ts";
import { Link } from "./network-proxy.ts";

type End = ServiceName | "postgres" | "nats";

/** Every link that there is. */
const ENDS = [
  ["gateway", "ledger"],
  ["ledger", "postgres"],
  ["gateway", "keys"],
  ["keys", "postgres"],
  ["keys", "ledger"],
  ["gateway", "webhook-dispatcher"],
  ["webhook-dispatcher", "postgres"],
  ["webhook-dispatcher", "ledger"],
  ["webhook-dispatcher", "export"],
  ["gateway", "export"],
  ["export", "postgres"],
  ["export", "ledger"],
  ["ledger", "nats"],
  ["export", "nats"],
  ["webhook-dispatcher", "nats"],
] as const satisfies readonly (readonly [ServiceName, End])[];

type NameOf<L> = L extends readonly [infer From extends string, infer To extends string]
  ? `${From} to ${To}`
  : never;
export type LinkName = NameOf<(typeof ENDS)[number]>;
export const LINKS = ENDS.map(([from, to]) => `${from} to ${to}` as LinkName);

const SERVICES: readonly ServiceName[] = ["keys", "ledger", "export", "webhook-dispatcher"];
const RATE_LIMIT_PER_MINUTE = 100_000_000;

export async function startLinkedSystem() {
  // PostgreSQL and NATS by themselves: their addresses are known before anyone asks for them.
  const stores = await startConstellation({ without: [...SERVICES, "gateway"] });
  const links = new Map<LinkName, Link>();
  const reserved: ReservedPort[] = [];
  const { databaseUrl, natsUrl } = stores;
  const release = async (): Promise<void> => {
    for (const link of links.values()) await link.close();
    for (const port of reserved) await port.close();
    await stores.stop();
  };
  try {
    const ports = new Map<End, number>([
      ["postgres", portOf(databaseUrl)],
      ["nats", portOf(natsUrl)],
    ]);
    for (const service of SERVICES) {
      const one = await reserveFreePort();
      reserved.push(one);
      ports.set(service, one.port);
    }
    for (const [at, [, to]] of ENDS.entries()) {
      const name = LINKS[at];
      if (name !== undefined) links.set(name, await Link.to(ports.get(to) ?? 0));
    }
    const env = environments({ databaseUrl, natsUrl }, ports, links);
    const rateLimitPerMinute = RATE_LIMIT_PER_MINUTE;
    for (const one of reserved) await one.release();
    const stack = await startConstellation({ databaseUrl, natsUrl, rateLimitPerMinute, env });
    const owner = ownerOf(databaseUrl);
    return {
      stack,
      owner,
      link: (name: LinkName) => links.get(name) as Link,
      account: () => newClient(stack),
      stop: async () => {
        await owner.close();
        await stack.stop();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Of each service: the port that it listens on, and the links in place of what it would call. */
function environments(
  { databaseUrl, natsUrl }: { readonly databaseUrl: string; readonly natsUrl: string },
  ports: ReadonlyMap<End, number>,
  links: ReadonlyMap<LinkName, Link>,
) {
  const env: Partial<Record<ServiceName, Record<string, string>>> = {};
  for (const service of SERVICES) env[service] = { ANNALS_PORT: String(ports.get(service)) };
  for (const [at, [from, to]] of ENDS.entries()) {
    const link = links.get(LINKS[at] as LinkName);
    if (link === undefined) continue;
    const its = (env[from] ??= {});
    if (to === "postgres") its["ANNALS_DATABASE_URL"] = link.through(databaseUrl);
    else if (to === "nats") its["ANNALS_NATS_URL"] = link.through(natsUrl);
    else its[`ANNALS_${to.toUpperCase().replaceAll("-", "_")}_ADDRESS`] = link.address;
  }
  return env;
}

const portOf = (url: string): number => Number(new URL(url).port);
