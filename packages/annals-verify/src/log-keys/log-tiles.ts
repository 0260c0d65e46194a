// The files of a head log, as a server or a bucket of tlog-tiles (c2sp.org) has them: its checkpoint, tiles
// and bundles of entries. Called by follow-keys.ts. What they say is nothing to rely on: proofs decide.

import {
  HASH_BYTES,
  MAX_ENTRY_BYTES,
  MAX_NOTE_BYTES,
  TILE_WIDTH,
  type TilePath,
  tilePath,
} from "@annals/tlog";
import { boundedGet, GetFailed, httpAddress } from "../bounded-get.ts";
import { NotChecked } from "../evidence/evidence-fault.ts";

const LENGTH_BYTES = 2;
const MAX_BUNDLE_BYTES = TILE_WIDTH * (LENGTH_BYTES + MAX_ENTRY_BYTES);
const TOO_MANY = 429;
const PAUSE_MS = 1_000;
const MAX_PAUSES = 30;

export class LogTiles {
  readonly #base: URL;
  readonly #wait: (ms: number) => Promise<unknown>;

  /** `url` is the prefix of the log, such as https://annals.example.com/log/. Throws NotChecked. */
  constructor(url: string, wait: (ms: number) => Promise<unknown>) {
    this.#base = httpAddress(url, "the address of the log");
    this.#wait = wait;
  }

  async checkpoint(): Promise<Buffer> {
    return await this.#get("checkpoint", MAX_NOTE_BYTES);
  }

  async tile(tile: TilePath): Promise<Buffer> {
    return await this.#get(tilePath(tile), TILE_WIDTH * HASH_BYTES);
  }

  /** The entries of a bundle, each behind its length. Throws NotChecked if they are not `width`. */
  async entries(index: number, width: number): Promise<readonly string[]> {
    const path = tilePath({ level: "entries", index, width });
    const bytes = await this.#get(path, MAX_BUNDLE_BYTES);
    const entries: string[] = [];
    for (let at = 0; at < bytes.length;) {
      const begin = at + LENGTH_BYTES;
      const end = begin + (begin <= bytes.length ? bytes.readUInt16BE(at) : Infinity);
      if (end > bytes.length) throw new NotChecked(`${path} was cut off`);
      entries.push(bytes.toString("utf8", begin, end));
      at = end;
    }
    if (entries.length !== width) throw new NotChecked(`${path} has not ${width} entries`);
    return entries;
  }

  /** Waits if the server asks for fewer requests. */
  async #get(path: string, most: number): Promise<Buffer> {
    for (let pauses = 0; ; pauses += 1) {
      try {
        return await boundedGet(new URL(path, this.#base), most);
      } catch (error) {
        if (!(error instanceof GetFailed && error.status === TOO_MANY) || pauses === MAX_PAUSES)
          throw error;
        await this.#wait(PAUSE_MS);
      }
    }
  }
}
