// A link is broken in one way while every kind of request is asked. After its repair all has to work again.
// Called by network-faults.test.ts and network-silence.test.ts, each with a system of its own: most of their
// time is waiting. It must never forgive what is late.

import { afterLeases } from "@annals/keys/src/admissions/leases.ts";
import { eventually } from "@annals/testing";
import { inject } from "vitest";
import { allServed, faultsWhile, probesOf } from "./network-probes.ts";
import type { Fault } from "./network-proxy.ts";
import { LINKS, type LinkName, startLinkedSystem } from "./network-system.ts";
import { report } from "../system/report.ts";
import { allAttempted } from "../system/testbed.ts";

const { outageMs, slowed, swallowed } = inject("form").networkFaults;
/** The promise. */
export const SERVING_WITHIN_MS = 5_000;
const READY_WITHIN_MS = 60_000;

const SELECTED: Readonly<Record<Fault, number>> = { cut: LINKS.length, slowed, swallowed };

/** The links that the form of the run breaks in these ways. */
export const casesOf = (...faults: readonly Fault[]): [LinkName, Fault][] =>
  faults.flatMap((fault) =>
    LINKS.slice(0, SELECTED[fault]).map((link): [LinkName, Fault] => [link, fault]),
  );

export type ProbedSystem = Awaited<ReturnType<typeof startProbedSystem>>;

/** A system with all links whole, in which everything is served. */
export async function startProbedSystem() {
  const system = await startLinkedSystem();
  const [{ client, accountId }, quiet] = await Promise.all([system.account(), system.account()]);
  const probes = probesOf(client, quiet.client);
  // No receiver listens there: each delivery is attempted once while a test runs.
  await client.post("/v1/webhooks", {
    url: "https://receiver.invalid/",
    events: ["event.created"],
  });
  await allServed(probes, READY_WITHIN_MS);
  return { ...system, client, accountId, probes };
}

/** Webhooks of what was stored are attempted, and an export that is asked for now is completed. */
async function workersWell(system: ProbedSystem, withinMs: number): Promise<void> {
  const { accountId, client, owner } = system;
  const { body } = await client.post("/v1/exports", {});
  await Promise.all([
    eventually("what was stored is delivered", () => allAttempted(owner, accountId), withinMs),
    eventually(
      "an export is completed",
      async () =>
        (await client.get(`/v1/exports/${body.data.id}`)).body.data.status === "completed",
      withinMs,
    ),
  ]);
}

/** Resolves to what was not answered as it should be. Rejects when something is not well in time. */
export async function faultsOfCase(
  system: ProbedSystem,
  name: LinkName,
  fault: Fault,
): Promise<readonly string[]> {
  const { link: linkOf, probes } = system;
  const link = linkOf(name);
  // Until then requests are admitted without keys.
  await afterLeases(link.inject(fault));
  let faults: readonly string[];
  try {
    faults = await faultsWhile(fault, name, probes, outageMs);
  } finally {
    await link.heal();
  }
  const healed = performance.now();
  const served = await allServed(probes, SERVING_WITHIN_MS);
  await workersWell(system, SERVING_WITHIN_MS - (performance.now() - healed));
  report({ "served again after ms": served, "all work after ms": performance.now() - healed });
  return faults;
}
