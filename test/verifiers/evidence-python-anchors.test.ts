// Guarantee: evidence.py takes a time stamp only from an authority that the caller named, and says what it
// has not checked: time stamps without OpenSSL, links over a filter's gaps, a log that follows another one.

import {
  append,
  EMPTY_TREE,
  KEY_TYPE,
  keyOf,
  parseVkey,
  proveInclusion,
  rootOf,
  vkeyOf,
} from "@annals/tlog";
import { describe, expect, test } from "vitest";
import {
  CHAIN,
  changed,
  type Files,
  lines,
  NEXT_VKEY,
  NO_QUORUM,
  ORIGIN,
  POLICY,
  relisted,
  signedCheckpoint,
  vectorBytes,
  vectorFiles,
  verifyBundle,
  withFile,
} from "./made-bundle.ts";
import { madeHeads } from "./made-heads.ts";
import { hasPython } from "../system/programs.ts";
import { hasPythonAndOpenssl, verdictInTurn } from "./python-evidence.ts";

const FULL = vectorFiles("full");
const PRUNED = vectorFiles("pruned");

const STAMP = JSON.parse(String(vectorBytes("timestamp.json"))) as {
  readonly checkpoint: string;
  readonly response_base64: string;
  readonly ca_pem: string;
};
const TOKEN = Buffer.from(STAMP.response_base64, "base64");

const stamped = (token: Buffer = TOKEN, checkpoint = STAMP.checkpoint, files = PRUNED) =>
  relisted(
    new Map([
      ...files,
      ["timestamps/8.tsr", token],
      ["timestamps/8.checkpoint", Buffer.from(checkpoint)],
    ]),
  );
const authorities = Buffer.from(STAMP.ca_pem);
const options = {
  policy: NO_QUORUM,
  authorities,
  timestampAuthorities: authorities,
  maxAnchorLag: 366 * 86_400,
};
const NOTHING = { excepted: 0, unanchored: 500 };

describe.runIf(hasPythonAndOpenssl)("time stamps", () => {
  test("give the time where the policy has no witnesses", async () => {
    const { status, text } = await verdictInTurn(stamped(), options);
    expect(text).toContain("\nanchored by time stamps, from 2026-11-23 01:34:22");
    expect(status).toBe(0);
    expect(await verdictInTurn(stamped(), { ...options, maxAnchorLag: 86_400 })).toMatchObject({
      status: 1,
      text: expect.stringMatching(/^invalid: anchored_late: sequence number 257: /) as string,
    });
  });

  test("anchor nothing if they are over a checkpoint of which the bundle has no head", async () => {
    const all = stamped(TOKEN, STAMP.checkpoint, FULL);
    expect((await verdictInTurn(all, options)).text).toContain("\nnot anchored: 500 events\n");
    expect(await verifyBundle(all, options)).toMatchObject({ anchoredBy: undefined, ...NOTHING });
  });

  test("except what epoch 1 covers, but say that they do not show how old the log is", async () => {
    const all = stamped(TOKEN, STAMP.checkpoint, underLast());
    const { status, text } = await verdictInTurn(all, options);
    expect(text).toContain("\nolder than the log, so without a wait: 100 events\n");
    expect(text).toMatch(/\nnot checked: whether the log is as old as it says/);
    expect(status).toBe(0);
    const report = await verifyBundle(all, options);
    expect(report).toMatchObject({ anchoredBy: "time stamps", excepted: 100, unanchored: 0 });
  });

  test("leave what comes after the last of them without an anchor", async () => {
    const some = stamped(TOKEN, STAMP.checkpoint, underLast(2));
    expect((await verdictInTurn(some, options)).text).toContain("\nnot anchored: 300 events\n");
    const report = await verifyBundle(some, options);
    expect(report).toMatchObject({ anchoredBy: "time stamps", excepted: 100, unanchored: 300 });
  });

  test("except nothing where none is over epoch 1", async () => {
    const late = stamped(TOKEN, STAMP.checkpoint, underLast(5, 1));
    expect((await verdictInTurn(late, options)).text).not.toContain("older than the log, so");
    const report = await verifyBundle(late, options);
    expect(report).toMatchObject({ anchoredBy: "time stamps", excepted: 0, unanchored: 0 });
  });

  /** The full bundle, of which some heads are proven under the checkpoint that has the time stamp. */
  function underLast(to = 5, from = 0): Files {
    const tile = vectorBytes("head-log/tile/0/000.p/8");
    const leaves = Array.from({ length: 8 }, (_, at) => tile.subarray(at * 32, at * 32 + 32));
    const nodes = (level: number, index: number) =>
      rootOf(append(EMPTY_TREE, leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)));
    const change = (text: string) => {
      const head = JSON.parse(text) as { epoch: number };
      const inclusion = proveInclusion(head.epoch - 1, 8, nodes).map((hash) =>
        hash.toString("hex"),
      );
      return JSON.stringify({ ...head, checkpoint: STAMP.checkpoint, inclusion });
    };
    return changed(
      FULL,
      "heads.jsonl",
      lines((all) => all.map((each, at) => (at >= from && at < to ? change(each) : each))),
    );
  }

  const flipped = (at: number) => {
    const bytes = Buffer.from(TOKEN);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  const refused = Buffer.from(TOKEN);
  refused[8] = 2;
  const time = TOKEN.indexOf("20261123");

  test.each<[string, Buffer]>([
    ["another signature", flipped(TOKEN.length - 9)],
    ["another time", flipped(time + 13)],
    ["another digest", flipped(TOKEN.indexOf(Buffer.from("04206e65debd", "hex")) + 9)],
    ["another attribute", flipped(TOKEN.indexOf("261123013422Z", time + 40) + 2)],
    ["a token that was cut off", TOKEN.subarray(0, -5)],
    ["a token that was not granted", refused],
    ["nothing", Buffer.alloc(0)],
  ])("timestamp_invalid: %s", async (_, token) => {
    const { status, text } = await verdictInTurn(stamped(token), options);
    expect(text).toMatch(/^invalid: timestamp_invalid: /);
    expect(status).toBe(1);
  });

  test("of another authority, over another checkpoint, or over one that the log did not sign", async () => {
    const other = Buffer.from(otherAuthority());
    expect((await verdictInTurn(stamped(), { ...options, authorities: other })).text).toMatch(
      /^invalid: timestamp_invalid: .*authorities/,
    );
    const first = STAMP.checkpoint.replace(/— w1[^\n]*\n/, "");
    expect((await verdictInTurn(stamped(TOKEN, first), options)).text).toMatch(
      /^invalid: timestamp_invalid: .*something else/,
    );
    const unsigned = STAMP.checkpoint.replace(/— log[^\n]*\n/g, "");
    expect((await verdictInTurn(stamped(TOKEN, unsigned), options)).text).toMatch(
      /^invalid: signature_missing: /,
    );
  });

  /** The certificate of the authority with another byte in its key. */
  function otherAuthority(): string {
    const [, body = ""] = STAMP.ca_pem.split(/-----(?:BEGIN|END) CERTIFICATE-----/);
    const bytes = Buffer.from(body, "base64");
    const at = bytes.indexOf(Buffer.from("032100", "hex")) + 10;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64")}\n-----END CERTIFICATE-----\n`;
  }
});

describe.runIf(hasPython)("what is not checked is said:", () => {
  test("time stamps without an authority, and without OpenSSL", async () => {
    const { status, text } = await verdictInTurn(stamped());
    expect(text).toMatch(/\nnot checked: 1 time stamps, for which no authority was given$/);
    expect(status).toBe(0);
    expect(await verdictInTurn(stamped(), { ...options, path: "/nowhere" })).toEqual({
      status: 2,
      text: "not checked: time stamps cannot be verified: openssl is not installed",
    });
  });

  test("what a filter left out", async () => {
    const filtered = changed(
      changed(FULL, "bundle.json", (text) => text.replace('"filter": {}', '"filter": {"a": 1}')),
      "events.jsonl",
      lines((all) => all.filter((each, at) => at % 7 === 0 || each.includes('"annals.'))),
    );
    const { status, text } = await verdictInTurn(filtered);
    expect(text).toMatch(/\nnot checked: what the filter left out; it is \{"a":1\}$/);
    expect(status).toBe(0);
  });

  test("that nothing is anchored, without witnesses and time stamps, and so how old the log is", async () => {
    expect((await verdictInTurn(FULL, { policy: NO_QUORUM })).text).toMatch(
      /\nnot anchored: 500 events\nnot checked: whether the log is as old as it says; [^\n]*$/,
    );
    expect(await verifyBundle(FULL, { policy: NO_QUORUM })).toMatchObject(NOTHING);
  });
});

describe.runIf(hasPython)("a log that follows another one", () => {
  const origin = `${ORIGIN}/2`;
  const next = keyOf(origin, KEY_TYPE.ed25519, parseVkey(NEXT_VKEY).publicKey);
  const policy = Buffer.from(
    String(POLICY).replace(/^log .*$/m, (old) => `${old}\nlog ${vkeyOf(next)}`),
  );
  const checkpoint = (size: number, root: Buffer, of: string, signer: "log" | "next") =>
    Buffer.from(signedCheckpoint(`${of}/${CHAIN}`, size, root, {}, signer));
  const root = Buffer.from(String(FULL.get("checkpoint")).split("\n")[2] ?? "", "base64");
  const files = changed(
    withFile(
      withFile(FULL, "heads.jsonl", madeHeads(FULL, { origin, signer: "next" })),
      "checkpoint",
      checkpoint(500, root, origin, "next"),
    ),
    "bundle.json",
    (text) => text.replace(`"origin": "${ORIGIN}"`, `"origin": "${origin}"`),
  );

  test("excepts no event, unless a known checkpoint of the old log covers it", async () => {
    expect((await verdictInTurn(files, { policy, maxAnchorLag: 60 })).text).toMatch(
      /^invalid: anchored_late: sequence number 1: /,
    );
    const known = [checkpoint(500, root, ORIGIN, "log")];
    const { status, text } = await verdictInTurn(files, { policy, known, maxAnchorLag: 60 });
    expect(text).toContain(`\nolder than the log, so without a wait: 500 events\n`);
    expect(text).toContain(`\ncontinues a known checkpoint of ${ORIGIN}, size 500`);
    expect(status).toBe(0);
    const part = [vectorBytes("known-checkpoint.txt")];
    expect((await verdictInTurn(files, { policy, known: part, maxAnchorLag: 60 })).text).toMatch(
      /^invalid: anchored_late: sequence number 301: /,
    );
    const other = [checkpoint(300, Buffer.alloc(32, 1), ORIGIN, "log")];
    expect((await verdictInTurn(files, { policy, known: other })).text).toMatch(
      /^invalid: checkpoint_conflict: /,
    );
  });
});
