// What dies under the sinks of a fault test: dispatchers and PostgreSQL. Called by the fault tests of sinks.

import { ownerOf } from "@annals/testing";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { allServing } from "../system/testbed.ts";
import type { WebhookSystem } from "../system/webhook-constellation.ts";
import { runningPostgres } from "./running-postgres.ts";

const READY_MS = 60_000;
/** Between two kills at most. */
const MAX_LIFE_MS = 2_000;

/** Kills the two dispatchers in turn. */
export async function killDispatchers(system: WebhookSystem, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(randomInt(MAX_LIFE_MS));
    const victim = system.processOf("webhook-dispatcher", (kill % 2) + 1);
    victim.kill("SIGKILL");
    await victim.exited();
    await victim.waitReady(READY_MS);
  }
}

/** Kills PostgreSQL, in every second crash all its processes, and waits until events are stored again. */
export async function crashPostgres(system: WebhookSystem, crashes: number): Promise<void> {
  const owner = ownerOf(system.stack.databaseUrl);
  for (let crash = 0; crash < crashes; crash += 1) {
    const { kill, gone } = await runningPostgres({ stack: system.stack, owner });
    kill(crash % 2 === 1);
    await gone();
    await allServing(system.stack);
  }
  await owner.close();
}
