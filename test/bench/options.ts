// The options of `npm run bench`, and how much work its full and its quick form do. Called by main.ts only.

import { parseArgs } from "node:util";

export interface Options {
  /** Once, at the start: a service is slower for tens of seconds after its start. */
  readonly firstWarmUpMs: number;
  /** Warm-up before a measurement, and its duration. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Interleaved turns, and the warm-up and duration of each turn with appends. */
  readonly turns: number;
  readonly turnWarmUpMs: number;
  readonly turnMs: number;
  /** Alternating slices of load in a comparison, how long each lasts, and the requests before the first. */
  readonly slices: number;
  readonly sliceMs: number;
  readonly sliceWarmUpMs: number;
  readonly sliceWarmUpRequests: number;
  /** Requests of each measurement with one connection, in all turns together. */
  readonly samples: number;
  /** How long an installation at rest is measured, and how long it has before. */
  readonly restMs: number;
  readonly restSettleMs: number;
  /** Events between the head and a deep page. */
  readonly depth: number;
  /** Events of the webhook backlog, a multiple of a batch; a quarter of them one by one. */
  readonly backlog: number;
  /** Events of an export at most. */
  readonly exported: number;
  /** Checkouts to compare with this one, the baseline first. With any, nothing else is measured. */
  readonly compare: readonly string[];
  /** Limits the run to measures with this text in their name. */
  readonly only: string;
  /** Events of the chain that a comparison reads, a multiple of 100. */
  readonly chain: number;
  /** How long a measurement waits at most for other programs to end. */
  readonly waitMs: number;
  /** Whether the tables are written to docs/performance/last-run.md. */
  readonly write: boolean;
  /** The command line, printed beside the figures. */
  readonly command: string;
}

/** Durations are of one measurement under load; `samples` of one with a single connection. */
const FULL = {
  // Until V8 has compiled functions that are called once per batch, a few hundred times a second.
  firstWarmUpMs: 30_000,
  warmUpMs: 10_000,
  measureMs: 8_000,
  turns: 3,
  turnWarmUpMs: 4_000,
  turnMs: 3_000,
  slices: 60,
  sliceMs: 500,
  sliceWarmUpMs: 25_000,
  sliceWarmUpRequests: 30_000,
  samples: 400,
  restMs: 60_000,
  restSettleMs: 60_000,
  depth: 1_000_000,
  backlog: 4_000,
  exported: 200_000,
  // The last 3,996 are in no chunk of the filter index: the slowest lists by filter.
  chain: 102_300,
};
const QUICK = {
  firstWarmUpMs: 300,
  warmUpMs: 300,
  measureMs: 1_000,
  turns: 1,
  turnWarmUpMs: 300,
  turnMs: 1_000,
  slices: 4,
  sliceMs: 200,
  sliceWarmUpMs: 1_000,
  sliceWarmUpRequests: 1_000,
  samples: 50,
  restMs: 3_000,
  restSettleMs: 1_000,
  depth: 20_000,
  backlog: 400,
  exported: 20_000,
  chain: 5_000,
};

const USAGE =
  "usage: npm run bench -- [--quick] [--depth EVENTS] [--write] [--turns N] [--only WORDS] " +
  "[--wait SECONDS] [--compare BASELINE [--compare CHECKOUT …]]";
const MAX_DEPTH = 100_000_000;
const MAX_TURNS = 100;
const MAX_WAIT_S = 86_400;
const MS_PER_S = 1_000;
/** Half a second each, so that they take as long as a turn. */
const SLICES_OF_A_TURN = 10;

/** Throws an Error whose message is the usage. */
export function parseOptions(argv: readonly string[]): Options {
  const { values } = parse(argv);
  const base = values.quick ? QUICK : FULL;
  const depth = values.depth === undefined ? base.depth : Number(values.depth);
  if (!Number.isInteger(depth) || depth < 1_000 || depth > MAX_DEPTH) throw new Error(USAGE);
  const turns = values.turns === undefined ? base.turns : Number(values.turns);
  if (!Number.isInteger(turns) || turns < 1 || turns > MAX_TURNS) throw new Error(USAGE);
  const wait = Number(values.wait);
  if (!Number.isInteger(wait) || wait < 0 || wait > MAX_WAIT_S) throw new Error(USAGE);
  const slices = values.turns === undefined ? base.slices : turns * SLICES_OF_A_TURN;
  const command = ["npm run bench", argv.length > 0 ? "--" : "", ...argv].filter(Boolean).join(" ");
  const { compare, only, write } = values;
  const waitMs = wait * MS_PER_S;
  return { ...base, turns, slices, depth, compare, only, waitMs, write, command };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        quick: { type: "boolean", default: false },
        depth: { type: "string" },
        turns: { type: "string" },
        only: { type: "string", default: "" },
        wait: { type: "string", default: "0" },
        compare: { type: "string", multiple: true, default: [] },
        write: { type: "boolean", default: false },
      },
    });
  } catch {
    throw new Error(USAGE);
  }
}
