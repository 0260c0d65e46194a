// Sends many requests of one operation over a few connections and gathers what was wrong with the answers.
// Called by fuzz.test.ts. It must never send a case that its seed and its number do not make again.

import fc from "fast-check";
import type { Judge } from "./judge.ts";
import { type FuzzAnswer, FuzzConnection } from "../../system/connection.ts";
import type { FuzzOperation, FuzzRequest, Known } from "./request.ts";
import { bytesOf, requestsOf } from "./requests.ts";
import { violationsOf } from "./violations.ts";

export interface FuzzJob {
  /** `http://host:port` */
  readonly baseUrl: string;
  readonly operation: FuzzOperation;
  readonly known: Known;
  readonly judge: Judge;
  readonly cases: number;
  readonly seed: number;
}

export interface FuzzResult {
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The first that were found, each with its request and its answer. */
  readonly faults: readonly string[];
}

const CONNECTIONS = 32;
/** Requests are made in lots of this size, so that they need not all be held. */
const LOT = 500;
/** The deadline of a request, and the time that a machine may take which does other things too. */
const ANSWER_WITHIN_MS = 20_000;
/** Beyond so many faults nothing more is learned. */
const MAX_FAULTS = 3;
const LEAST_REFUSAL = 400;
/** Of a request and an answer so many characters are shown. */
const MAX_SHOWN = 800;

/** Sends the requests with one violation each, one after the other. Resolves to what was wrong. */
export async function violate(job: Omit<FuzzJob, "cases">): Promise<readonly string[]> {
  const line = new Line(job.baseUrl);
  const faults: string[] = [];
  for (const { what, request } of violationsOf(job.operation, job.known, job.seed)) {
    const answer = await line.exchange(bytesOf(request));
    const found = [...job.judge.faults(job.operation, request, answer)];
    if (answer !== undefined && answer.status < LEAST_REFUSAL) found.push("it was not refused");
    if (found.length > 0) faults.push(described(what, found, request, answer));
  }
  line.close();
  return faults;
}

export async function fuzz(job: FuzzJob): Promise<FuzzResult> {
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const cases = casesOf(job);
  const work = async (): Promise<void> => {
    const line = new Line(job.baseUrl);
    for (const [n, request] of cases) {
      if (faults.length >= MAX_FAULTS) break;
      const answer = await line.exchange(bytesOf(request));
      if (answer) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const found = job.judge.faults(job.operation, request, answer);
      if (found.length > 0) faults.push(described(`case ${n}`, found, request, answer));
    }
    line.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return { statuses, faults };
}

/** Each case with its number, shared by all who take from it. */
function* casesOf({ operation, known, cases, seed }: FuzzJob): Generator<[number, FuzzRequest]> {
  const requests = requestsOf(operation, known);
  for (let from = 0; from < cases; from += LOT) {
    const numRuns = Math.min(LOT, cases - from);
    const lot = fc.sample(requests, { seed: seed + from, numRuns });
    for (const [at, request] of lot.entries()) yield [from + at, request];
  }
}

/** A connection that is opened again when the server has closed it. */
class Line {
  readonly #baseUrl: string;
  #connection: FuzzConnection | undefined;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async exchange(bytes: Buffer): Promise<FuzzAnswer | undefined> {
    const used = this.#connection?.isOpen ? this.#connection : undefined;
    const answer = await used?.exchange(bytes, ANSWER_WITHIN_MS);
    if (answer !== undefined) return answer;
    // The server may close a connection that was used just when the next request is sent on it.
    this.#connection = await FuzzConnection.open(this.#baseUrl);
    return this.#connection.exchange(bytes, ANSWER_WITHIN_MS);
  }

  close(): void {
    this.#connection?.close();
  }
}

function described(
  which: string,
  faults: readonly string[],
  request: FuzzRequest,
  answer: FuzzAnswer | undefined,
): string {
  const head = answer ? `${answer.status} ${JSON.stringify(answer.headers)}` : "no answer";
  return [
    `${which}: ${faults.join("; ")}`,
    shown(bytesOf(request)),
    `-> ${head}`,
    shown(answer?.body ?? Buffer.alloc(0)),
  ].join("\n");
}

/** Each byte as a character or an escape. */
function shown(bytes: Buffer): string {
  const text = bytes.toString("latin1").replaceAll("\r\n", "\n");
  return JSON.stringify(text.slice(0, MAX_SHOWN)).replaceAll("\\n", "\n");
}
