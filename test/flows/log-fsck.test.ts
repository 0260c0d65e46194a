// An unmodified third-party tool for transparency logs, Tessera's fsck, accepts the log of an account and the
// head log as they are served, at the sizes at which tiles begin and end. It notices one changed byte in a
// file of each kind (docs/evidence.md).

import type { HttpClient } from "@annals/testing";
import { accountKey, parseVkey, TILE_WIDTH, vkeyOf } from "@annals/tlog";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { append, newCovered, untilCovered } from "../system/covered.ts";
import { buildFsck, changedLog, fsck } from "../system/fsck.ts";
import { leaveOut } from "../system/needs.ts";

/** The full form closes an epoch a second until the head log has a full tile. */
const TIMEOUT_MS = 900_000;
/** It may wait without end for a file that is wrong. */
const REFUSED_WITHIN_MS = 5_000;

const stack = inject("stack");
const { baseUrl } = stack;
const { epochs, sizes } = inject("form").logFsck;

const built = await buildFsck().catch((error: Error) => error);
/** Empty where there is no Go: nothing is skipped then, for nothing of the product needs it. */
const PROGRAMS = typeof built === "string" ? [built] : [];
if (typeof built !== "string") leaveOut("programs built with Go", built.message);

test("the tool is there, or it is said why not", () => {
  expect(typeof built === "string" ? built : built.message).not.toBe("");
});

async function accountLog(size: number) {
  const { accountId, client, key } = await newCovered(stack, size);
  const { body } = await client.get("/v1/log");
  const vkey = vkeyOf(accountKey(parseVkey(body.data.vkeys[0]), accountId));
  return { url: `${baseUrl}/v1/log/`, key, vkey };
}

async function closedEpochs(client: HttpClient): Promise<number> {
  const { body } = await client.get("/v1/log");
  return body.data.newest_epoch.epoch;
}

async function headLog() {
  const { client } = await newCovered(stack, 1);
  for (let events = 1; (await closedEpochs(client)) < epochs; events += 1) {
    await append(client, 1);
    await untilCovered(client, events + 1);
  }
  const vkey = (await (await fetch(`${baseUrl}/log/vkey`)).text()).trimEnd();
  return { url: `${baseUrl}/log/`, vkey };
}

describe.each(PROGRAMS)("fsck accepts", (program) => {
  test.each(sizes)("the log of an account of %i events", { timeout: TIMEOUT_MS }, async (size) => {
    const checked = await fsck(program, await accountLog(size));
    expect(checked.size, checked.output).toBe(size);
  });

  test("the head log", { timeout: TIMEOUT_MS }, async () => {
    const checked = await fsck(program, await headLog());
    expect(checked.size, checked.output).toBeGreaterThan(0);
  });
});

const KINDS: readonly [kind: string, path: RegExp][] = [
  ["checkpoint", /^\/checkpoint$/],
  ["full tile", /^\/tile\/0\/000$/],
  ["partial tile", /^\/tile\/0\/.*\.p\/\d+$/],
  ["tile of a higher level", /^\/tile\/1\//],
  ["bundle of entries", /^\/tile\/entries\//],
];

describe.each(PROGRAMS)("fsck refuses one byte changed", (program) => {
  test.each(KINDS)("in a %s of an account's log", { timeout: TIMEOUT_MS }, async (_, path) => {
    const { url, ...log } = await accountLog(257);
    const server = await changedLog(url, path);
    onTestFinished(server.close);
    const asked = { ...log, url: server.url, limitMs: REFUSED_WITHIN_MS };
    expect(await fsck(program, asked)).toMatchObject({ size: undefined });
    expect(server.changed.length).toBeGreaterThan(0);
  });

  /** A head log of few entries has no full tile. */
  const OF_HEAD_LOG = KINDS.filter(([kind]) => epochs > TILE_WIDTH || !/full|higher/.test(kind));
  test.each(OF_HEAD_LOG)("in a %s of the head log", { timeout: TIMEOUT_MS }, async (kind, path) => {
    const { url, ...log } = await headLog();
    const server = await changedLog(url, kind === "partial tile" ? /^\/tile\/0\// : path);
    onTestFinished(server.close);
    const asked = { ...log, url: server.url, limitMs: REFUSED_WITHIN_MS };
    expect(await fsck(program, asked)).toMatchObject({ size: undefined });
    expect(server.changed.length).toBeGreaterThan(0);
  });

  test("but nothing where none is, within the same time", { timeout: TIMEOUT_MS }, async () => {
    const { url, ...log } = await accountLog(257);
    const server = await changedLog(url, /^nothing$/);
    onTestFinished(server.close);
    const checked = await fsck(program, { ...log, url: server.url, limitMs: REFUSED_WITHIN_MS });
    expect(checked.size, checked.output).toBe(257);
  });
});
