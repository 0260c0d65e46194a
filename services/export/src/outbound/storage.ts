// Where export files are kept: what directory-storage.ts and s3-storage.ts both offer. A file is named
// `<account>/<export>.<lease token>.<format>`: who lost the lease cannot touch the file of who has it.

export interface Sink {
  /** Resolves when more may be written, and the bytes of `chunk` may be used again. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when the whole file is durable under its name. */
  finish(): Promise<void>;
  /** Leaves nothing behind, as far as the storage can still be reached. */
  abort(): Promise<void>;
}

export interface Storage {
  create(file: string): Promise<Sink>;
  /** The bytes from `offset` on; the next piece is read when it is asked for. */
  read(file: string, offset: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Deletes what attempts have left of the files that begin with `stem`, all but `kept`. */
  keepOnly(stem: string, kept: string | undefined): Promise<void>;
  /** Undefined when files can be kept, else a sentence that says what is wrong. */
  check(): Promise<string | undefined>;
  close(): void;
}
