// The storage of export files and archives: the interface of directory-storage.ts and s3-storage.ts. A file
// is named `<account>/<export>.<lease token>.<ending>`, so that a worker without the lease cannot touch the
// file of the worker that has it. An archive has a folder (archives/rules/archive.ts).

/** A storage keeps the first bytes of a file open until the end: at most this many. */
export const MAX_HEAD_BYTES = 512;

/** A storage refuses a file for a reason that stays: to send the file again would change nothing. */
export class StorageRefused extends Error {
  override readonly name = "StorageRefused";
}

export interface Sink {
  /**
   * Resolves when more may be written, and the bytes of `chunk` may be used again. This and `finish` reject
   * with {@link StorageRefused} if no further attempt can succeed.
   */
  write(chunk: Uint8Array): Promise<void>;
  /**
   * Resolves when the complete file is durable under its name. `head` replaces the first bytes that were
   * written: at most {@link MAX_HEAD_BYTES}, for what is known only at the end.
   */
  finish(head?: Uint8Array): Promise<void>;
  /** Leaves nothing behind, if the storage is reachable. */
  abort(): Promise<void>;
}

export interface Storage {
  create(file: string): Promise<Sink>;
  /** The bytes from `offset` on; the next chunk is read when the caller asks for it. */
  read(file: string, offset: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Deletes all files that begin with `stem`, complete or not, except `kept`. */
  keepOnly(stem: string, kept: string | undefined): Promise<void>;
  /** Names of the files in a folder, complete or not, of any version. */
  list(folder: string): Promise<readonly string[]>;
  /** Deletes a file, complete or not, with all of its versions. Does nothing for one that does not exist. */
  remove(file: string): Promise<void>;
  /** Resolves to undefined if files can be stored, otherwise to a sentence that says what is wrong. */
  check(): Promise<string | undefined>;
  close(): void;
}
