// A head log as the ledger proposes it, and a process that signs it, for the tests of what keys signs.
// Imported by tests only.

import { createLog } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { SignCheckpointResponse, SignEpochResponse } from "@annals/proto/keys";
import { SignCheckpointRequestSchema, SignEpochRequestSchema } from "@annals/proto/keys";
import {
  entryHash,
  entryText,
  type Head,
  HeadMap,
  headRecord,
  KEY_TYPE,
  keyOf,
  type LogEntry,
  nodeHash,
  type NoteCheck,
  parseCheckpoint,
  parseNote,
  proveConsistency,
  proveInclusion,
  type ReadNode,
  rootFromNodes,
  verifyNote,
} from "@annals/tlog";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { type LogKeyFile, parseLogKeys } from "../log-signing/rules/log-keys.ts";
import { LogSigner, type LogSignerDeps } from "../log-signing/log-signer.ts";
import { signCheckpoint } from "../log-signing/rpc/sign-checkpoint.ts";
import { signEpoch } from "../log-signing/rpc/sign-epoch.ts";
import { getSignedHeads } from "../log-signing/store/signed-heads.ts";

const TIME = "2026-03-02T00:00:30.000000Z";

type EpochInit = MessageInitShape<typeof SignEpochRequestSchema>;
type CheckpointInit = MessageInitShape<typeof SignCheckpointRequestSchema>;
type Kind<Of extends LogEntry["kind"]> = Omit<Extract<LogEntry, { kind: Of }>, "epoch" | "time">;

/** Keys of a file with a line for each of them. */
export function keysOf(...lines: readonly string[]): LogKeyFile {
  return parseLogKeys(lines.join("\n"));
}

export function newKeyLine(): string {
  return randomBytes(32).toString("base64");
}

/** A log that grows entry by entry, and what the ledger asks for at each size. */
export class HeadLog {
  readonly origin: string;
  readonly map = new HeadMap();
  readonly #entries: string[] = [];

  constructor(origin: string) {
    this.origin = origin;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Adds an epoch with these heads, and by default one that changes nothing. */
  grow(...heads: readonly Head[]): this {
    for (const head of heads) this.map.set(head);
    return this.add({ kind: "heads", heads: this.map.root() });
  }

  add(entry: Kind<"heads"> | Kind<"key"> | Kind<"succeeds">): this {
    this.#entries.push(entryText({ ...entry, epoch: this.size + 1, time: TIME }));
    return this;
  }

  root(size = this.size): Buffer {
    return rootFromNodes(size, this.#readNode);
  }

  /** A log with the same entries, and a map of its own. */
  copy(): HeadLog {
    const copy = new HeadLog(this.origin);
    copy.#entries.push(...this.#entries);
    return copy;
  }

  /** An epoch and the proof that the log has it. */
  proofOf(epoch: number): { readonly entry: string; readonly inclusion: Buffer[] } {
    const inclusion = proveInclusion(epoch - 1, this.size, this.#readNode);
    return { entry: this.#entries[epoch - 1] ?? "", inclusion };
  }

  /** What is asked so that the last entry is signed. */
  epoch(changes: Partial<EpochInit> = {}): EpochInit {
    const { origin, size } = this;
    return {
      origin,
      size: BigInt(size),
      root: this.root(),
      oldSize: BigInt(size - 1),
      consistency: proveConsistency(size - 1, size, this.#readNode),
      ...this.proofOf(size),
      ...changes,
    };
  }

  /** What is asked so that the checkpoint of a head in the current map is signed, in this epoch. */
  checkpoint(
    head: Head,
    { epoch = this.size, ...changes }: Partial<CheckpointInit> & { epoch?: number } = {},
  ): CheckpointInit {
    const { origin, size } = this;
    return {
      origin,
      head: headRecord(head),
      path: [...this.map.path(head.chain).siblings],
      size: BigInt(size),
      root: this.root(),
      ...this.proofOf(epoch),
      ...changes,
    };
  }

  readonly #readNode: ReadNode = (level, index) => {
    if (level === 0) return entryHash(Buffer.from(this.#entries[index] ?? ""));
    const [left, right] = [2 * index, 2 * index + 1].map((at) => this.#readNode(level - 1, at));
    return nodeHash(left ?? Buffer.alloc(0), right ?? Buffer.alloc(0));
  };
}

const CONTEXT = {} as HandlerContext;

/**
 * The same database for processes that read what was signed together: none goes on before all have read it,
 * so that each of them decides on the same rows.
 */
export function readTogether(database: Pool, processes: number): Pool {
  let reading = 0;
  const allRead = Promise.withResolvers<void>();
  const run: Pool["run"] = async (statement, params) => {
    const rows = await database.run(statement, params);
    if (statement.name !== getSignedHeads.name) return rows;
    reading += 1;
    if (reading === processes) allRead.resolve();
    await allRead.promise;
    return rows;
  };
  const transaction: Pool["transaction"] = (work) => database.transaction(work);
  return { run, transaction, forAccount: () => database, close: () => database.close() };
}

/** A process that signs, with a memory of its own. */
export function signingProcess(
  database: Pool,
  file: LogKeyFile | undefined,
  { clock = systemClock(), ...given }: Partial<LogSignerDeps> = {},
) {
  let rollbacks = 0;
  const signer = new LogSigner({
    clock,
    database,
    log: createLog({ service: "test", level: "error" }, { write: () => {} }),
    rollbacks: { inc: () => void (rollbacks += 1) },
    overlapDays: 90,
    ...given,
  });
  if (file !== undefined) signer.use(file);
  return { signer, rollbacks: () => rollbacks, ...callsOf(signer) };
}

/** The calls of the ledger. */
export function callsOf(signer: LogSigner) {
  const [epoch, checkpoint] = [signEpoch({ signer }), signCheckpoint({ signer })];
  return {
    signEpoch: async (request: EpochInit) =>
      (await epoch(create(SignEpochRequestSchema, request), CONTEXT)) as Answer<SignEpochResponse>,
    signCheckpoint: async (request: CheckpointInit) =>
      (await checkpoint(
        create(SignCheckpointRequestSchema, request),
        CONTEXT,
      )) as Answer<SignCheckpointResponse>,
  };
}

type Answer<Response> = Pick<Response & SignEpochResponse, "checkpoint" | "signedSize">;

/** The checkpoint that a note has, and the public keys that signed it. Throws where a signature is wrong. */
export function readNote(note: string, file: LogKeyFile) {
  const { text } = parseNote(note);
  const checkpoint = parseCheckpoint(text);
  const keys = file.publicKeys.map((key) => keyOf(checkpoint.origin, KEY_TYPE.ed25519, key));
  const { signed }: NoteCheck = verifyNote(parseNote(note), keys);
  return { ...checkpoint, by: signed.map(({ key }) => Buffer.from(key.publicKey)) };
}
