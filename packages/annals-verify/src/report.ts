// What a verification is given and what it reports. Used by verify-source.ts, verify-parquet.ts and what they
// share.

import type { Manifest } from "./manifest.ts";

export interface VerifyOptions {
  /** Called now and then with the bytes done and the size. */
  readonly onProgress?: (done: number, total: number) => void;
  /** The SHA-256 that the service shows for the export. */
  readonly sha256?: string | undefined;
}

export interface Report {
  readonly manifest: Manifest;
  readonly events: number;
  readonly linksChecked: number;
  /**
   * Links to events that are not in the file: a filter, or the start of the range, left them out.
   */
  readonly linksUnchecked: number;
  readonly erasedParts: number;
  /**
   * Erased parts whose record is not in the file: a filter left it out, or the range ends before it.
   */
  readonly erasuresUnchecked: number;
  /** Whether a file of CSV begins with a byte order mark. */
  readonly hasByteOrderMark: boolean;
  /** Hash of the complete file. */
  readonly sha256: string;
}

/** Provides the bytes of an export. */
export interface Source {
  readonly size: number;
  read(from: number, to: number): Promise<Buffer>;
  /** All of them, from the beginning. */
  chunks(): AsyncIterable<Buffer>;
}
