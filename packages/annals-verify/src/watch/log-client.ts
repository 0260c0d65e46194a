// The routes of the service that the watch reads, and what their responses must look like. Called by
// watch-log.ts. What a response says is nothing to rely on: signatures and proofs decide.

import { JsonFault, type JsonObject, type JsonValue, readJson } from "@annals/event";
import { MAX_NOTE_BYTES, MAX_PROOF_HASHES } from "@annals/tlog";
import { BadLine } from "../bad-line.ts";
import { NotChecked } from "../evidence/evidence-fault.ts";
import { readHashes } from "../evidence/head-line.ts";
import { anyObject, anyText, integerFrom } from "../shape.ts";
import { boundedGet, httpAddress } from "../bounded-get.ts";

/** What GET /v1/log says that the watch needs. */
export interface LogState {
  /** The origin of the account's log. */
  readonly origin: string;
  /** Events of the account. */
  readonly size: number;
  /** The newest epoch, whether or not it is served; 0 before the first one. */
  readonly epoch: number;
}

export interface HeadPage {
  readonly lines: readonly JsonValue[];
  readonly hasMore: boolean;
}

const MAX_LOG_BYTES = 512 * 1024;
/** 50 lines, each of a note with 32 long cosignatures. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const MAX_PAGE_LINES = 1_000;
const MAX_PROOF_BYTES = 64 * 1024;
const PAGE_LIMITS = { maxDepth: 6, maxValues: 200_000 };
const LIMITS = { maxDepth: 8, maxValues: 10_000 };
/** Visible characters of ASCII: others cannot be in a header, and an error would show the key. */
const KEY = /^[!-~]{1,512}$/;

export class LogClient {
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;

  /** Throws NotChecked for what cannot be an address or a key. */
  constructor(url: string, key: string) {
    if (!KEY.test(key)) throw new NotChecked("the API key has other characters than a key");
    this.#headers = { authorization: `Bearer ${key}` };
    this.#base = httpAddress(url, "the address of the service");
  }

  async state(): Promise<LogState> {
    return await this.#read("log", MAX_LOG_BYTES, LIMITS, (answer) => {
      const log = anyObject(answer["data"], "the data");
      return {
        origin: anyText(log["origin"], "the origin"),
        size: integerFrom(log["size"], 0, "the size"),
        epoch: newestIn(log["newest_epoch"]),
      };
    });
  }

  /** The note as it was sent. */
  async checkpoint(): Promise<Buffer> {
    return await boundedGet(this.#at("log/checkpoint"), MAX_NOTE_BYTES, this.#headers);
  }

  async heads(afterEpoch: number): Promise<HeadPage> {
    const path = `log/heads?after_epoch=${afterEpoch}`;
    return await this.#read(path, MAX_PAGE_BYTES, PAGE_LIMITS, (page) => {
      const { data: lines, has_more: hasMore } = page;
      if (!Array.isArray(lines) || lines.length > MAX_PAGE_LINES || typeof hasMore !== "boolean")
        throw new BadLine("it is not a page");
      return { lines: lines.map(lineOf), hasMore };
    });
  }

  async consistency(from: number, to: number): Promise<readonly Buffer[]> {
    const path = `log/consistency?from=${from}&to=${to}`;
    return await this.#read(path, MAX_PROOF_BYTES, LIMITS, (answer) =>
      readHashes(anyObject(answer["data"], "the data")["hashes"], MAX_PROOF_HASHES, "the proof"),
    );
  }

  #at(path: string): URL {
    return new URL(`v1/${path}`, this.#base);
  }

  /** A response that is not what the interface says decides nothing: another server may have sent it. */
  async #read<Value>(
    path: string,
    most: number,
    limits: typeof LIMITS,
    read: (answer: JsonObject) => Value,
  ): Promise<Value> {
    const url = this.#at(path);
    const bytes = await boundedGet(url, most, this.#headers);
    try {
      return read(anyObject(readJson(bytes, limits), "the response"));
    } catch (error) {
      if (!(error instanceof BadLine || error instanceof JsonFault)) throw error;
      throw new NotChecked(`GET ${url.href}: the response cannot be read: ${error.message}`);
    }
  }
}

function newestIn(value: JsonValue | undefined): number {
  return value === null
    ? 0
    : integerFrom(anyObject(value, "the newest epoch")["epoch"], 1, "its epoch");
}

/** The line of heads.jsonl: a response may have the record of the head as a text. */
function lineOf(value: JsonValue): JsonValue {
  const line = anyObject(value, "a line");
  const { head } = line;
  return typeof head === "string" ? { ...line, head: readJson(Buffer.from(head), LIMITS) } : line;
}
