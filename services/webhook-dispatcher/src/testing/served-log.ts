// A ledger that serves a head log of entries that a test adds, signed as the real one signs. Imported by
// tests only.

import type { Clock } from "@annals/contract";
import { notFound } from "@annals/errors";
import {
  AddAnchorResponseSchema,
  ListAnchorWorkResponseSchema,
  ReadHeadLogResponseSchema,
} from "@annals/proto/ledger";
import {
  append,
  checkpointText,
  cosign,
  EMPTY_TREE,
  entryHash,
  entryText,
  noteSigner,
  noteText,
  rootOf,
  TILE_WIDTH,
  vkeyOf,
} from "@annals/tlog";
import { create } from "@bufbuild/protobuf";
import { createHash } from "node:crypto";
import type { AnchorLedger } from "../anchors/worker/anchor-deps.ts";

const ORIGIN = "log.example";
const [SEED, WITNESS_SEED] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

type Locked = Extract<
  Parameters<AnchorLedger["addAnchor"]>[0]["anchor"],
  { case: "locked" }
>["value"] & { readonly size?: bigint };

export class ServedLog {
  /** What it was told of the bucket, by size. */
  readonly locked = new Map<number, Locked>();
  /** The checkpoints that it was shown. */
  readonly seen: string[] = [];
  readonly key = noteSigner(ORIGIN, SEED).key;
  /** How often it was asked what there is to do. */
  listed = 0;
  /** Seconds since 1970 in a cosignature; undefined: it has none. */
  cosignedAt: number | undefined;
  readonly #clock: Clock;
  readonly #entries: Buffer[] = [];
  /** When each size was served. */
  readonly #served = new Map<number, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Closes epochs, and serves the last one. */
  grow(count: number): void {
    const time = this.#clock.nowText();
    for (let at = 0; at < count; at += 1) {
      const epoch = this.size + 1;
      const heads = createHash("sha256").update(String(epoch)).digest();
      this.#entries.push(Buffer.from(entryText({ epoch, heads, kind: "heads", time })));
    }
    this.#served.set(this.size, time);
  }

  checkpoint(): string {
    const tree = append(EMPTY_TREE, this.#entries.map(entryHash));
    const text = checkpointText({ origin: ORIGIN, size: tree.size, root: rootOf(tree) });
    const signatures = [noteSigner(ORIGIN, SEED).sign(text)];
    if (this.cosignedAt !== undefined)
      signatures.push(cosign("w.example", WITNESS_SEED, text, this.cosignedAt));
    return noteText({ text, signatures });
  }

  /** What the dispatcher calls. */
  readonly client: AnchorLedger = {
    listAnchorWork: () => {
      this.listed += 1;
      const newest = Math.max(0, ...this.locked.keys());
      const since = [...this.#served].find(([size]) => size > newest)?.[1] ?? "";
      const log = this.size === 0 ? 0 : 1;
      return Promise.resolve(create(ListAnchorWorkResponseSchema, { log, unlockedSince: since }));
    },
    readHeadLog: ({ part }) =>
      this.#part(part).then((content) => create(ReadHeadLogResponseSchema, { content })),
    addAnchor: ({ anchor, size = 0n }) => {
      if (anchor?.case === "seenCheckpoint") {
        this.seen.push(anchor.value ?? "");
        return Promise.resolve(create(AddAnchorResponseSchema, {}));
      }
      if (anchor?.case !== "locked") return Promise.reject(new Error("no bucket"));
      this.locked.set(Number(size), anchor.value);
      return Promise.resolve(create(AddAnchorResponseSchema, {}));
    },
  };

  #part(part: Parameters<AnchorLedger["readHeadLog"]>[0]["part"]): Promise<Buffer> {
    if (part?.case === "checkpoint") return Promise.resolve(Buffer.from(this.checkpoint()));
    if (part?.case === "vkey") return Promise.resolve(Buffer.from(`${vkeyOf(this.key)}\n`));
    if (part?.case !== "tile" && part?.case !== "entries") throw new Error("no part of the log");
    const { index = 0n, width = 0 } = part.value;
    const level = part.case === "tile" ? (part.value.level ?? 0) : 0;
    const hashes = this.#level(level)
      .slice(Number(index) * TILE_WIDTH)
      .slice(0, width);
    if (hashes.length < width || width === 0) return Promise.reject(notFound("tile", "it"));
    if (part.case === "tile") return Promise.resolve(Buffer.concat(hashes));
    const from = Number(index) * TILE_WIDTH;
    const bundle = this.#entries.slice(from, from + width).flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    });
    return Promise.resolve(Buffer.concat(bundle));
  }

  /** All hashes of tiles of a level. */
  #level(level: number): Buffer[] {
    if (level === 0) return this.#entries.map(entryHash);
    const below = this.#level(level - 1);
    const full = Math.floor(below.length / TILE_WIDTH);
    return Array.from({ length: full }, (_, at) =>
      rootOf(append(EMPTY_TREE, below.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH))),
    );
  }
}
