// What the witnesses of the policy say of the head log, read from their monitoring API
// (c2sp.org/tlog-witness). Called by `annals log status`. It must never count a checkpoint that the log or
// the witness has not signed.

import { ask, type Asked, reasonOf } from "@annals/chassis";
import {
  type Checkpoint,
  parseCheckpoint,
  parseNote,
  type Policy,
  type VerifierKey,
  verifyNote,
  type Witness,
} from "@annals/tlog";
import { createHash } from "node:crypto";

export interface WitnessView {
  /** The witness's name in the policy. */
  readonly name: string;
  /** The largest checkpoint that it has signed; undefined if it could not be read. */
  readonly seen: (Checkpoint & { readonly time: string }) | undefined;
  /** Why it could not be read. */
  readonly problem: string | undefined;
}

interface AskedLog {
  readonly origin: string;
  /** Keys that sign it. */
  readonly keys: readonly VerifierKey[];
  /** Whether the log leads to the checkpoint: one from before a rotation needs none of these keys. */
  readonly has: (checkpoint: Checkpoint) => Promise<boolean>;
}

export interface Bounds {
  readonly bytes: number;
  readonly timeoutMs: number;
  /** Resolves the names of witnesses; by default the system resolver does. */
  readonly lookup?: Asked["lookup"];
}

const BOUNDS: Bounds = { bytes: 64 * 1024, timeoutMs: 10_000 };
const OK = 200;
const MS_PER_S = 1_000;

/** Asks each witness that has a URL, all at once. Resolves whatever they do. */
export function readViews(
  { witnesses }: Policy,
  log: AskedLog,
  bounds = BOUNDS,
): Promise<WitnessView[]> {
  const asked = witnesses.filter(({ url }) => url !== undefined);
  return Promise.all(asked.map((witness) => readView(witness, log, bounds)));
}

async function readView(witness: Witness, log: AskedLog, bounds: Bounds): Promise<WitnessView> {
  const { name } = witness;
  try {
    return { name, seen: await seenBy(witness, log, bounds), problem: undefined };
  } catch (error) {
    return { name, seen: undefined, problem: reasonOf(error) };
  }
}

async function seenBy({ key, url = "" }: Witness, { has, keys, origin }: AskedLog, bounds: Bounds) {
  const log = createHash("sha256").update(origin).digest("hex");
  const prefix = url.endsWith("/") ? url : `${url}/`;
  const note = parseNote(await boundedGet(new URL(`${log}/checkpoint`, prefix), bounds));
  const checkpoint = parseCheckpoint(note.text);
  const { signed } = verifyNote(note, [...keys, key]);
  const time = signed.find((each) => each.key === key)?.time;
  const isSigned = signed.some((each) => keys.includes(each.key));
  const isOfLog = checkpoint.origin === origin && (isSigned || (await has(checkpoint)));
  if (!isOfLog || time === undefined)
    throw new Error("its checkpoint is not signed by the log and by the witness");
  return { ...checkpoint, time: new Date(time * MS_PER_S).toISOString() };
}

/** The text of a response of status 200. It follows no redirect. */
async function boundedGet(url: URL, { bytes: maxBytes, lookup, timeoutMs }: Bounds) {
  const { body, status } = await ask({
    url,
    lookup,
    maxBytes,
    timeoutMs,
    extraAuthorities: undefined,
  });
  if (status !== OK) throw new Error(`the response has status ${status}`);
  return new TextDecoder("utf-8", { fatal: true }).decode(body);
}
