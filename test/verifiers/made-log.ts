// A log of evidence for tests, made with the keys of the worked examples: one account's tree and the head log
// above it, with the lines, checkpoints and proofs that a service serves. And a server that serves it.

import {
  append,
  EMPTY_TREE,
  entryHash,
  HeadMap,
  proveConsistency,
  proveInclusion,
  type ReadNode,
  rootOf,
} from "@annals/tlog";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CHAIN, ORIGIN, signedCheckpoint } from "./made-bundle.ts";

/** Witnesses by their names in the worked examples, with seconds since 1970. */
export type Seen = Readonly<Record<string, number>>;

interface Epoch {
  readonly entry: string;
  readonly size: number;
  readonly path: readonly string[];
  readonly seen: Seen;
  readonly signer: "log" | "next";
}

export const rootOfLeaves = (leaves: readonly Buffer[]) => rootOf(append(EMPTY_TREE, [...leaves]));

/** The nodes of a small tree. */
export const nodesOf =
  (leaves: readonly Buffer[]): ReadNode =>
  (level, index) =>
    rootOfLeaves(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level));

const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString("hex"));

export class MadeLog {
  readonly #name: string;
  /** Leaf hashes of the account, and of the head log. */
  leaves: Buffer[] = [];
  entries: Buffer[] = [];
  #epochs: (Epoch | undefined)[] = [];
  /** The origin of the head log. Another signer signs the epochs that are closed from then on. */
  origin = ORIGIN;
  signer: "log" | "next" = "log";

  /** Logs of different names have different events. */
  constructor(name = "made") {
    this.#name = name;
  }

  get epoch(): number {
    return this.entries.length;
  }

  /** How many events the newest epoch covers. */
  get covered(): number {
    return this.#epochs.findLast((each) => each !== undefined)?.size ?? 0;
  }

  grow(events: number): this {
    const from = this.leaves.length;
    for (let at = from; at < from + events; at += 1)
      this.leaves.push(entryHash(Buffer.from(`${this.#name} ${at}`)));
    return this;
  }

  /** Closes an epoch at a time in seconds since 1970, with the account's head if it has changed. */
  close(time: number, seen: Seen): this {
    const map = new HeadMap();
    const size = this.leaves.length;
    map.set({ chain: CHAIN, size, root: rootOfLeaves(this.leaves) });
    for (let other = 0; other < 5; other += 1)
      map.set({ chain: `acct_other${other}`, size: this.epoch, root: Buffer.alloc(32, other) });
    const heads = map.root().toString("hex");
    const closed = new Date(time * 1000).toISOString().replace("Z", "000Z");
    const entry = JSON.stringify({
      epoch: this.epoch + 1,
      heads,
      kind: "heads",
      time: closed,
      v: 1,
    });
    this.entries.push(entryHash(Buffer.from(entry)));
    const hasChanged = size !== this.covered;
    const path = hex(map.path(CHAIN).siblings);
    this.#epochs.push(hasChanged ? { entry, size, path, seen, signer: this.signer } : undefined);
    return this;
  }

  /** The head log at a size, cosigned. */
  headLog(size: number, seen: Seen = {}, signer = this.signer): string {
    const root = rootOfLeaves(this.entries.slice(0, size));
    return signedCheckpoint(this.origin, size, root, seen, signer);
  }

  checkpoint(size = this.covered): string {
    const root = rootOfLeaves(this.leaves.slice(0, size));
    return signedCheckpoint(`${this.origin}/${CHAIN}`, size, root, {}, this.signer);
  }

  consistency(from: number, to: number): string[] {
    return hex(proveConsistency(from, to, nodesOf(this.leaves.slice(0, to))));
  }

  /** As heads.jsonl has them: of the epochs after this one in which the account's head changed. */
  lines(after: number): Record<string, unknown>[] {
    return this.#epochs.flatMap((made, at) => {
      if (made === undefined || at < after) return [];
      const { entry, path, seen, signer, size } = made;
      const root = rootOfLeaves(this.leaves.slice(0, size)).toString("hex");
      const nodes = nodesOf(this.entries.slice(0, at + 1));
      return {
        epoch: at + 1,
        entry,
        head: { chain: CHAIN, root, size, v: 1 },
        path,
        checkpoint: this.headLog(at + 1, seen, signer),
        inclusion: hex(proveInclusion(at, at + 1, nodes)),
        consistency: this.consistency(size, this.covered),
      };
    });
  }
}

export interface Served extends AsyncDisposable {
  readonly url: string;
  /** Path and query with the key that came along. */
  readonly requests: string[];
  /** What is sent instead, by the path and query or by the path alone. */
  readonly instead: Map<string, (response: ServerResponse) => void>;
}

/** Witnesses serve the newest checkpoint that they have seen, under their names. */
export interface WitnessViews {
  [witness: string]: () => string;
}

/** Serves the routes that the watch reads. `log` may change between requests. */
export async function serveLog(
  log: () => MadeLog,
  views: WitnessViews = {},
  pageLines = 50,
): Promise<Served> {
  const requests: string[] = [];
  const instead: Served["instead"] = new Map();
  const server = createServer((request, response) => {
    const { pathname, searchParams, url } = parsed(request);
    requests.push(`${url} ${request.headers.authorization ?? "without a key"}`);
    const other = instead.get(url) ?? instead.get(pathname);
    if (other !== undefined) return other(response);
    const body = answer(log(), views, pathname, searchParams, pageLines);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    instead,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function parsed({ url = "" }: IncomingMessage) {
  const { pathname, searchParams } = new URL(url, "http://host");
  return { pathname, searchParams, url };
}

function answer(
  log: MadeLog,
  views: WitnessViews,
  path: string,
  query: URLSearchParams,
  pageLines: number,
): string | undefined {
  const [, witness = "", rest] = /^\/(w\d)\/(.*)$/.exec(path) ?? [];
  const hash = createHash("sha256").update(log.origin).digest("hex");
  if (rest === `${hash}/checkpoint`) return views[witness]?.();
  const numbers = (name: string) => Number(query.get(name));
  switch (path) {
    case "/v1/log":
      return JSON.stringify({
        data: {
          origin: `${log.origin}/${CHAIN}`,
          size: log.leaves.length,
          newest_epoch: log.epoch === 0 ? null : { epoch: log.epoch },
          min_index: 0,
        },
      });
    case "/v1/log/checkpoint":
      return log.checkpoint();
    case "/v1/log/heads": {
      const lines = log.lines(numbers("after_epoch"));
      const data = lines.slice(0, pageLines).map((line) => {
        return { ...line, head: JSON.stringify(line["head"]) };
      });
      return JSON.stringify({ data, has_more: lines.length > pageLines });
    }
    case "/v1/log/consistency": {
      const hashes = log.consistency(numbers("from"), numbers("to"));
      return JSON.stringify({ data: { hashes } });
    }
    default:
      return undefined;
  }
}
