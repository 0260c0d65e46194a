// Guarantees: who has an old key of a log finds the keys that follow it, each named by an entry under a
// checkpoint that the old key has signed, also after it has left if such a checkpoint was kept. A key that no
// entry names, an entry that is not in the log, and a checkpoint without a trusted signature are refused.

import { followKeys } from "annals-verify";
import {
  append,
  checkpointText,
  EMPTY_TREE,
  entryHash,
  entryText,
  noteSigner,
  noteText,
  parseTilePath,
  rootOf,
  TILE_WIDTH,
  tileRoot,
  vkeyOf,
} from "@annals/tlog";
import { commandArguments } from "@annals/testing";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";

const COMMAND = commandArguments("annals-verify");
const ORIGIN = "log.example/keys";
const TIME = "2026-11-27T12:00:00.000000Z";
const [OLD, NEW, NEWER, OTHER] = [1, 2, 3, 4].map((byte) =>
  noteSigner(ORIGIN, Buffer.alloc(32, byte)),
) as [Signer, Signer, Signer, Signer];

type Signer = ReturnType<typeof noteSigner>;
/** The key that the entry of an epoch names. */
type Named = Readonly<Record<number, Signer>>;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const policyOf = (...signers: readonly Signer[]) =>
  Buffer.from(`${signers.map(({ key }) => `log ${vkeyOf(key)}\n`).join("")}quorum none\n`);

function entriesOf(size: number, named: Named): string[] {
  return Array.from({ length: size }, (_, at) => {
    const [epoch, time] = [at + 1, TIME];
    const key = named[epoch]?.key;
    return key
      ? entryText({ epoch, kind: "key", key: vkeyOf(key), time })
      : entryText({ epoch, kind: "heads", heads: Buffer.alloc(32, 5), time });
  });
}

/** The hashes of each level of the tree over a log, which most requests and checkpoints of a test need. */
const levels = new WeakMap<readonly string[], Buffer[][]>();

function hashesOf(entries: readonly string[], level = 0): readonly Buffer[] {
  const all = levels.get(entries) ?? [entries.map((entry) => entryHash(Buffer.from(entry)))];
  levels.set(entries, all);
  while (all.length <= level) {
    const below = all.at(-1) ?? [];
    const tiles = Array.from({ length: Math.floor(below.length / TILE_WIDTH) }, (_, at) =>
      tileRoot(Buffer.concat(below.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH))),
    );
    all.push(tiles);
  }
  return all[level] ?? [];
}

function signedBy(entries: readonly string[], ...signers: readonly Signer[]): string {
  const root = rootOf(append(EMPTY_TREE, hashesOf(entries)));
  const text = checkpointText({ origin: ORIGIN, size: entries.length, root });
  return noteText({ text, signatures: signers.map(({ sign }) => sign(text)) });
}

/** What a path of the log has. Bundles of entries have those that are `shown`. */
function contentOf(path: string, entries: readonly string[], shown: readonly string[]): Buffer {
  const { index, level, width } = parseTilePath(path);
  const first = index * TILE_WIDTH;
  if (level === "entries")
    return Buffer.concat(
      shown.slice(first, first + width).map((entry) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(Buffer.byteLength(entry));
        return Buffer.concat([length, Buffer.from(entry)]);
      }),
    );
  return Buffer.concat(hashesOf(entries, level).slice(first, first + width));
}

interface Served {
  readonly entries: readonly string[];
  readonly shown?: readonly string[];
  readonly checkpoint: string;
  /** Requests that get 429 first. */
  readonly refused?: number;
  /** The content that is sent, given the right one. */
  readonly instead?: (path: string, content: Buffer) => Buffer;
}

async function serve({ checkpoint, entries, instead, refused = 0, shown = entries }: Served) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").slice("/log/".length);
    requests.push(path);
    if (requests.length <= refused) return void response.writeHead(429).end();
    const content =
      path === "checkpoint" ? Buffer.from(checkpoint) : contentOf(path, entries, shown);
    response.writeHead(200).end(instead?.(path, content) ?? content);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/log/`;
  const follow = (policy: Buffer, kept?: string) => {
    const given = kept === undefined ? {} : { checkpoint: Buffer.from(kept) };
    return followKeys({ url, policy, wait: async () => {}, ...given });
  };
  const run = async (policy: Buffer) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "annals-keys-"));
    writeFileSync(join(folder.path, "policy"), policy);
    const words = ["log-keys", "--url", url, "--policy", "policy"];
    const child = spawn(process.execPath, [...COMMAND, ...words], { cwd: folder.path });
    const printed = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    const [status] = await once(child, "close");
    const [stdout, stderr] = await printed;
    return { status, stdout, stderr };
  };
  return { requests, follow, run };
}

const found = (signer: Signer, epoch: number) => ({ vkey: vkeyOf(signer.key), epoch, time: TIME });

describe("a log of 66,000 epochs whose second key joined in epoch 300", () => {
  const entries = entriesOf(66_000, { 300: NEW, 65_900: NEWER });

  test("finds both keys that follow, the oldest first", async () => {
    const { follow } = await serve({ entries, checkpoint: signedBy(entries, NEWER, NEW, OLD) });
    expect(await follow(policyOf(OLD))).toEqual({
      origin: ORIGIN,
      size: entries.length,
      keys: [found(NEW, 300), found(NEWER, 65_900)],
    });
  });

  test("reads no entry if the policy has each key, and the newest alone if it has all but that", async () => {
    const { follow, requests } = await serve({
      entries,
      checkpoint: signedBy(entries, NEWER, NEW, OLD),
    });
    expect((await follow(policyOf(OLD, NEW, NEWER))).keys).toEqual([]);
    expect(requests).toEqual(["checkpoint"]);
    expect((await follow(policyOf(OLD, NEW))).keys).toEqual([found(NEWER, 65_900)]);
    expect(requests.filter((path) => path.startsWith("tile/entries"))).toHaveLength(1);
  });
});

describe("a log of 400 epochs whose key joined in epoch 100", () => {
  const entries = entriesOf(400, { 100: NEW });
  const checkpoint = signedBy(entries, NEW, OLD);

  test("is followed after the old key has left, with a checkpoint that both have signed", async () => {
    const now = entriesOf(600, { 100: NEW });
    const { follow } = await serve({ entries: now, checkpoint: signedBy(now, NEW) });
    await expect(follow(policyOf(OLD))).rejects.toThrow("no known key signed");
    expect((await follow(policyOf(OLD), checkpoint)).keys).toEqual([found(NEW, 100)]);
  });

  test("waits where the server asks for fewer requests", async () => {
    const { follow, requests } = await serve({ entries, checkpoint, refused: 5 });
    expect((await follow(policyOf(OLD))).keys).toEqual([found(NEW, 100)]);
    expect(requests.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => "checkpoint"));
  });

  test("ends if the server never stops asking for fewer requests", async () => {
    const { follow } = await serve({ entries, checkpoint, refused: Infinity });
    await expect(follow(policyOf(OLD))).rejects.toThrow("the response has status 429");
  });

  test.each<[string, Partial<Served>, RegExp]>([
    [
      "no entry names the key",
      { entries: entriesOf(400, {}), checkpoint: signedBy(entriesOf(400, {}), NEW, OLD) },
      /^a key signed the checkpoint that no entry of the log names \([0-9a-f]{8}\)$/,
    ],
    [
      "an entry names another key",
      {
        entries: entriesOf(400, { 100: OTHER }),
        checkpoint: signedBy(entriesOf(400, { 100: OTHER }), NEW, OLD),
      },
      /that no entry of the log names/,
    ],
    [
      "the entry is shown, but is not in the log",
      {
        entries: entriesOf(400, {}),
        shown: entries,
        checkpoint: signedBy(entriesOf(400, {}), NEW, OLD),
      },
      /^the entry of epoch 100 is not under the checkpoint$/,
    ],
    [
      "a tile has another hash",
      {
        instead: (path, content) =>
          /^tile\/0\/000$/.test(path) ? Buffer.from(content).fill(1, 0, 32) : content,
      },
      /is not under the checkpoint/,
    ],
    [
      "the checkpoint is signed by another key",
      { checkpoint: signedBy(entries, NEW) },
      /no known key signed/,
    ],
  ])("is refused if %s", async (_, change, message) => {
    const { follow } = await serve({ entries, checkpoint, ...change });
    await expect(follow(policyOf(OLD))).rejects.toThrow(
      expect.objectContaining({ name: "EvidenceFault", message: expect.stringMatching(message) }),
    );
  });

  test.each<[string, Partial<Served>, RegExp]>([
    [
      "a bundle was cut off",
      { instead: (path, content) => (/entries/.test(path) ? content.subarray(0, -1) : content) },
      /was cut off/,
    ],
    ["a bundle has too few entries", { shown: entries.slice(0, 399) }, /has not 144 entries/],
    [
      "an entry is of another epoch",
      { shown: [...entries.slice(1), entries[0] ?? ""] },
      /the entry of epoch 400 cannot be read: is of another epoch/,
    ],
    [
      "an entry is something else",
      { shown: entries.with(399, "{}") },
      /the entry of epoch 400 cannot be read/,
    ],
    [
      "the checkpoint is no note",
      { checkpoint: "nothing" },
      /the checkpoint of the log cannot be read/,
    ],
  ])("is not checked if %s", async (_, change, message) => {
    const { follow } = await serve({ entries, checkpoint, ...change });
    await expect(follow(policyOf(OLD))).rejects.toThrow(
      expect.objectContaining({ name: "NotChecked", message: expect.stringMatching(message) }),
    );
  });

  test("is followed by the command, whose lines make the policy whole", async () => {
    const { run } = await serve({ entries, checkpoint });
    const first = await run(policyOf(OLD));
    expect(first).toMatchObject({ status: 0, stderr: "" });
    const [, , comment, line] = first.stdout.split("\n");
    expect([comment, line]).toEqual([`# named by epoch 100 of ${TIME}`, `log ${vkeyOf(NEW.key)}`]);
    const whole = Buffer.from(`${comment}\n${line}\n${String(policyOf(OLD))}`);
    expect(await run(whole)).toEqual({
      status: 0,
      stdout: `origin ${ORIGIN} · epoch 400\nevery key that signed it is in the policy\n`,
      stderr: "",
    });
    expect(await run(policyOf(OTHER))).toEqual({
      status: 1,
      stdout: "",
      stderr: "invalid: signature_missing: the checkpoint of the log: no known key signed\n",
    });
  });

  test("is not checked with a policy for another log", async () => {
    const { follow } = await serve({ entries, checkpoint });
    const other = noteSigner("log.example/other", Buffer.alloc(32, 1));
    await expect(follow(policyOf(other))).rejects.toThrow("is not in the policy");
  });
});
