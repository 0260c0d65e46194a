// The controls of attacks on a gateway: the same attack on a gateway without the settings that bound an
// account or an address, where it holds more than it may by default. Called by the tests of attacks. What is
// asserted is counted, and not measured in time.

import { eventually } from "@annals/testing";
import { expect } from "vitest";
import { metricOf } from "../system/metric-of.ts";
import type { Testbed } from "../system/testbed.ts";
import { SHORT_WINDOWS } from "./under-attack.ts";

const MIB = 1024 * 1024;
/** What one account may hold of a gateway by default. */
const HELD = {
  requests: 500,
  bytes: 16 * MIB,
  unread_bytes: 26 * MIB,
  downloads: 8,
  verifications: 4,
} as const;
/** More than an attack gets of an address by default: 200 at once, then 20 a second and those that waited. */
const MANY_REFUSALS = 2_000;
/** The other account holds hardly anything. */
const WITH_THE_OTHER = 1.01;
/** On a machine that is busy. */
const WITHIN_MS = 10_000;
/** Other services refuse some of what an attack asks for, and it does not ask again. */
const ATTACKS = 6;

/** What is held of a resource, or the answers of 401 that were sent. */
export type Figure = keyof typeof HELD | "refusals";

const UNBOUNDED = {
  ...SHORT_WINDOWS,
  ANNALS_REQUESTS_MAX_PER_ACCOUNT: "1000000",
  ANNALS_BYTES_MAX_PER_ACCOUNT: String(1024 * MIB),
  ANNALS_READS_MAX_PER_ACCOUNT: "100000",
  ANNALS_UNAUTHENTICATED_PER_SECOND: "1000000",
};

export const boundOf = (figure: Figure): number =>
  figure === "refusals" ? MANY_REFUSALS : HELD[figure];

function read(adminUrl: string | undefined, figure: Figure): Promise<number> {
  return figure === "refusals"
    ? metricOf(adminUrl, "http_server_request_duration_seconds_count", 'status_code="401"')
    : metricOf(adminUrl, "annals_edge_held", `resource="${figure}"`);
}

/** The figure, for the report, of an attack that goes on: it is within its bound. */
export async function expectWithin(
  adminUrl: string | undefined,
  figure: Figure,
): Promise<Readonly<Record<string, number>>> {
  const value = await read(adminUrl, figure);
  expect(value, figure).toBeLessThanOrEqual(boundOf(figure) * WITH_THE_OTHER);
  return { [figure]: value };
}

/** Starts the gateway without bounds. What is returned attacks it, and says what is then beyond the bound. */
export async function startUnbounded({ stack }: Pick<Testbed, "stack">) {
  const { adminUrl, baseUrl = "" } = await stack.addReplica("gateway", UNBOUNDED);
  return async (
    figure: Figure,
    attack: (baseUrl: string) => Promise<() => void>,
  ): Promise<number> => {
    const before = figure === "refusals" ? await read(adminUrl, figure) : 0;
    const beyond = async () => {
      const value = (await read(adminUrl, figure)) - before;
      return value > boundOf(figure) ? value : undefined;
    };
    const ends: (() => void)[] = [];
    const attempt = async (): Promise<number> => {
      ends.push(await attack(baseUrl));
      const reached = eventually(`${figure} beyond ${boundOf(figure)}`, beyond, WITHIN_MS);
      return ends.length < ATTACKS ? reached.catch(attempt) : reached;
    };
    try {
      return await attempt();
    } finally {
      for (const end of ends) end();
    }
  };
}
