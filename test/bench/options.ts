// The options of `npm run bench`, and how much work each form of it does. Called by main.ts only.

import { parseArgs } from "node:util";

export interface Options {
  /** Once, before anything: a service that has just started is slower for tens of seconds. */
  readonly firstWarmUpMs: number;
  /** Requests that are sent before any is counted, and how long they are counted. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** How often what is compared takes turns, and of each turn with appends the same as above. */
  readonly turns: number;
  readonly turnWarmUpMs: number;
  readonly turnMs: number;
  /** Requests of each measurement with one connection, all turns together. */
  readonly samples: number;
  /** Events above a page that is called deep. */
  readonly depth: number;
  /** Events that wait for their webhooks, a multiple of a batch's; a quarter of them in a stream. */
  readonly backlog: number;
  /** Events of an export at most. */
  readonly exported: number;
  /** Checkouts to compare with this one, interleaved; where there are any, nothing else is measured. */
  readonly compare: readonly string[];
  /** Of a comparison, only what has this text in its name. */
  readonly only: string;
  /** Events of the chain that a comparison reads, a multiple of 100. */
  readonly chain: number;
  /** Whether the table goes into docs/performance.md. */
  readonly write: boolean;
  /** What was asked for, to be repeated beside the figures. */
  readonly command: string;
}

/**
 * Of one measurement under load, in milliseconds, and of one with a single connection, in requests.
 */
const FULL = {
  // Until V8 has compiled what is called but a few hundred times a second, a group of requests each.
  firstWarmUpMs: 30_000,
  warmUpMs: 10_000,
  measureMs: 8_000,
  turns: 3,
  turnWarmUpMs: 4_000,
  turnMs: 3_000,
  samples: 400,
  depth: 1_000_000,
  backlog: 4_000,
  exported: 200_000,
  chain: 100_000,
};
const QUICK = {
  firstWarmUpMs: 300,
  warmUpMs: 300,
  measureMs: 1_000,
  turns: 1,
  turnWarmUpMs: 300,
  turnMs: 1_000,
  samples: 50,
  depth: 20_000,
  backlog: 400,
  exported: 20_000,
  chain: 5_000,
};

const USAGE =
  "usage: npm run bench -- [--quick] [--depth EVENTS] [--write] [--turns N] [--compare BASELINE [--compare CHECKOUT …] [--only WORDS]]";
const MAX_DEPTH = 100_000_000;
const MAX_TURNS = 100;

/** Throws an Error whose message is the usage. */
export function parseOptions(argv: readonly string[]): Options {
  const { values } = parse(argv);
  const base = values.quick ? QUICK : FULL;
  const depth = values.depth === undefined ? base.depth : Number(values.depth);
  if (!Number.isInteger(depth) || depth < 1_000 || depth > MAX_DEPTH) throw new Error(USAGE);
  const turns = values.turns === undefined ? base.turns : Number(values.turns);
  if (!Number.isInteger(turns) || turns < 1 || turns > MAX_TURNS) throw new Error(USAGE);
  const command = ["npm run bench", argv.length > 0 ? "--" : "", ...argv].filter(Boolean).join(" ");
  const { compare, only, write } = values;
  return { ...base, turns, depth, compare, only, write, command };
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
        compare: { type: "string", multiple: true, default: [] },
        write: { type: "boolean", default: false },
      },
    });
  } catch {
    throw new Error(USAGE);
  }
}
