// Many appends at the same time with a blow at a random moment among them. Called by the tests that kill.

import { setTimeout as pause } from "node:timers/promises";
import type { Load, SentAppend } from "../system/load.ts";
import type { Testbed } from "../system/testbed.ts";

/** What a burst takes when nothing happens to it: the span from which a moment for the blow is chosen. */
export async function usualBurstMs(
  { load }: Pick<Testbed, "load">,
  appends: number,
): Promise<number> {
  await load().burst(appends);
  const started = performance.now();
  await load().burst(appends);
  return Math.ceil(performance.now() - started);
}

/** The share of the appends by whose answer the blow has fallen: one after the last answer proves nothing. */
const LATEST_SHARE = 0.5;

/**
 * Sends so many appends at once and does `blow` so many milliseconds later, or when half of them are
 * answered, as happens when the burst is quicker than usual.
 */
export async function burstWith(
  { load }: Pick<Testbed, "load">,
  appends: number,
  atMs: number,
  blow: () => void,
): Promise<Load> {
  const burst = load();
  const answers = burst.burst(appends);
  const answered = (): number => burst.appends.filter(({ outcomes }) => outcomes.length > 0).length;
  const at = performance.now() + atMs;
  while (performance.now() < at && answered() < appends * LATEST_SHARE) await pause(1);
  blow();
  await answers;
  return burst;
}

/** How many appends got no 201 at their first try: each felt the blow. */
export const feltBy = (appends: readonly SentAppend[]): number =>
  appends.filter(({ outcomes }) => !outcomes[0]?.stored).length;

const MAX_TIMES = 10;

/**
 * Whether another round is due after so many. Blows that no append felt prove nothing: where all came after
 * the last answer, there are more rounds than asked for.
 */
export const isRoundDue = (done: number, asked: number, sent: readonly SentAppend[]): boolean =>
  done < asked || (feltBy(sent) === 0 && done < MAX_TIMES * asked);
