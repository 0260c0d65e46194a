// The routes of the log: what is covered, checkpoints, tiles and proofs. `annals.log`. What the service
// says is nothing to rely on before it is verified: `annals-verify watch` does that.

import { Pages } from "./pages.ts";
import { type CallOptions, get, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

const TILE_WIDTH = 256;
const DIGITS = 3;

export class Log {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Gets the keys of the log, and how many events are covered. */
  async get(options?: CallOptions): Promise<T.LogStatus> {
    return this.#transport.data(get("get-log", "/log"), options);
  }

  /** Gets the account's checkpoint: a signed note. */
  async checkpoint(options?: CallOptions): Promise<string> {
    const response = await this.#transport.response(
      get("read-checkpoint", "/log/checkpoint"),
      options,
    );
    return response.text();
  }

  /** Gets 256 hashes of 32 bytes, or `width` of them. */
  tile(
    level: number,
    index: number,
    width = TILE_WIDTH,
    options?: CallOptions,
  ): Promise<Uint8Array> {
    return this.#bytes("read-tile", `/log/tile/${level}/${tileIndex(index, width)}`, options);
  }

  /** Gets a bundle of entries: the texts that the events' hashes cover, each behind its length. */
  entries(index: number, width = TILE_WIDTH, options?: CallOptions): Promise<Uint8Array> {
    return this.#bytes("read-entries", `/log/tile/entries/${tileIndex(index, width)}`, options);
  }

  /** Proves an event in the account's tree; by default in the newest one. */
  async inclusion(
    sequenceNumber: number,
    { size, ...options }: CallOptions & { readonly size?: number } = {},
  ): Promise<T.Inclusion> {
    const query = { sequence_number: sequenceNumber, size };
    return this.#transport.data({ ...get("prove-inclusion", "/log/inclusion"), query }, options);
  }

  /** Proves that the tree of one size is a prefix of a later one; by default of the newest one. */
  async consistency(
    from: number,
    { to, ...options }: CallOptions & { readonly to?: number } = {},
  ): Promise<T.Consistency> {
    const query = { from, to };
    return this.#transport.data(
      { ...get("prove-consistency", "/log/consistency"), query },
      options,
    );
  }

  /** Lists the account's head in each epoch that is kept, after one. */
  heads(afterEpoch = 0, options?: CallOptions): Pages<T.EpochHead> {
    return new Pages(async (cursor) => {
      const query = { after_epoch: cursor ?? afterEpoch };
      const page = await this.#transport.json<T.EpochHeadPage>(
        { ...get("list-heads", "/log/heads"), query },
        options,
      );
      const last = page.data.at(-1)?.epoch;
      return {
        data: page.data,
        next_cursor: page.has_more && last !== undefined ? String(last) : null,
      };
    });
  }

  async #bytes(operation: string, path: string, options?: CallOptions): Promise<Uint8Array> {
    const response = await this.#transport.response(get(operation, path), options);
    return new Uint8Array(await response.arrayBuffer());
  }
}

/** Digits in groups of three, of which only the last has no `x`: `x001/x234/067`, or `000.p/5`. */
function tileIndex(index: number, width: number): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / DIGITS) * DIGITS, "0");
  const groups = padded.match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join("/");
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}
