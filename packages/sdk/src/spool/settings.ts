// The settings of a spool. Used by spool.ts and the files of this folder.

import { tell } from "../tell.ts";

export type Sync = "batch" | "event" | "none";

export interface SpoolOptions {
  /**
   * When files are flushed to the disk. `batch`: every 100 ms, and when they are complete. `event`: before
   * track() returns. `none`: when the system likes. In each mode a killed process loses nothing; the others
   * are for a machine that loses its power.
   */
  readonly sync?: Sync;
  /** An event beyond these bytes is dropped as `full`. By default 256 MiB. */
  readonly maxBytes?: number;
  /**
   * Numbers the accepted events in `context.producer`, so that `annals-verify --producers` finds missing
   * ones. Letters, digits, `.`, `_` and `-`.
   */
  readonly producer?: string;
  /** Called when the disk fails. By default it is logged with console.warn. */
  readonly onProblem?: (problem: SpoolProblem) => void;
}

/** The disk does not take events, which wait in memory meanwhile, or a file cannot be read or renamed. */
export interface SpoolProblem {
  readonly dir: string;
  readonly error: unknown;
}

export type SpoolSettings = Required<Omit<SpoolOptions, "producer">> &
  Pick<SpoolOptions, "producer"> & { readonly dir: string };

const PRODUCER = /^[\w.-]{1,100}$/;

const MAX_BYTES = 256 * 1024 * 1024;

export function settingsOf(dir: string, options: SpoolOptions): SpoolSettings {
  if (options.producer !== undefined && !PRODUCER.test(options.producer))
    throw new TypeError("producer must have letters, digits, `.`, `_` and `-`");
  const { onProblem = logProblem } = options;
  const told = (problem: SpoolProblem): void => tell(() => onProblem(problem));
  return { sync: "batch", maxBytes: MAX_BYTES, ...options, onProblem: told, dir };
}

function logProblem({ dir, error }: SpoolProblem): void {
  const why = error instanceof Error ? error.message : String(error);
  // oxlint-disable-next-line no-console -- without the disk, a killed process loses events
  console.warn(`annals: the spool in ${dir} has a problem: ${why}`);
}
