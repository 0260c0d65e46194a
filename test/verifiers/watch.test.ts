// Guarantee: the watch accepts exactly a log that continues what it has kept, and whose epochs a quorum has
// seen in time; for anything else the kept checkpoint stays as it was.

import { KEY_TYPE, keyOf, parseVkey, vkeyOf } from "@annals/tlog";
import { readdirSync, statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHAIN, NEXT_VKEY, NO_QUORUM, ORIGIN, POLICY } from "./made-bundle.ts";
import { MadeLog } from "./made-log.ts";
import { HOUR, hours, KEY, MadeWatch, START } from "./made-watch.ts";

let at: MadeWatch;

beforeEach(async () => {
  at = await new MadeWatch().start();
});
afterEach(async () => {
  await at[Symbol.asyncDispose]();
});

describe("a log that continues what was kept:", () => {
  test("the first call checks all epochs, the next only what is new", async () => {
    expect(await at.watch()).toMatchObject({
      origin: ORIGIN,
      chain: CHAIN,
      events: 300,
      covered: 300,
      epoch: 3,
      closed: "2026-03-02T03:00:00.000000Z",
      witnesses: [
        { witness: "w1", time: START + 3 * HOUR + 6 },
        { witness: "w2", time: START + 3 * HOUR + 7 },
      ],
      witnessesInPolicy: 3,
      hasQuorum: true,
      checked: 3,
      before: undefined,
      unread: [],
    });
    expect(statSync(at.state).mode & 0o777).toBe(0o600);
    hours(at.log, 4, 8);
    const now = () => START + 9 * HOUR;
    const before = { origin: ORIGIN, epoch: 3 };
    expect(await at.watch({ now })).toMatchObject({ checked: 5, epoch: 8, covered: 800, before });
    expect(readdirSync(at.folder.path)).toEqual(["annals.state"]);
    expect(statSync(at.state).mode & 0o777).toBe(0o600);
    at.served.requests.length = 0;
    at.log.close(START + 9 * HOUR, {});
    expect(await at.watch({ now })).toMatchObject({ checked: 0, epoch: 8, covered: 800 });
    expect(at.served.requests.filter((each) => !each.endsWith(` Bearer ${KEY}`))).toEqual([]);
    expect(at.served.requests.filter((each) => each.includes("heads"))).toHaveLength(1);
  });

  test("an address with a path", async () => {
    at.served.instead.set("/audit/v1/log", (response) => response.writeHead(418).end());
    expect(await at.verdict({ url: `${at.served.url}/audit` })).toMatch(
      /^NotChecked: GET http:.*\/audit\/v1\/log: .*status 418/,
    );
  });

  test("an epoch that is closed while the lines are read", async () => {
    let reads = 0;
    const lines = at.log.lines.bind(at.log);
    at.log.lines = function (after) {
      reads += 1;
      if (reads === 2) hours(this, 4, 4);
      return lines(after);
    };
    expect(await at.watch()).toMatchObject({ covered: 400, checked: 4 });
  });

  test("a log that grows during each reading is not checked", async () => {
    let hour = 4;
    const lines = at.log.lines.bind(at.log);
    at.log.lines = function (after) {
      hours(this, hour, hour);
      hour += 1;
      return lines(after);
    };
    expect(await at.verdict()).toMatch(/^NotChecked: the log grew during each of 4 readings/);
  });

  test("a log that follows the one that was kept, whose epochs begin anew", async () => {
    await at.watch();
    const { leaves } = at.log;
    at.log = new MadeLog();
    at.log.leaves = leaves.slice();
    at.log.origin = `${ORIGIN}/2`;
    at.log.signer = "next";
    hours(at.log, 4, 5);
    const next = keyOf(at.log.origin, KEY_TYPE.ed25519, parseVkey(NEXT_VKEY).publicKey);
    const both = Buffer.from(String(POLICY).replace(/^log .*$/m, `$&\nlog ${vkeyOf(next)}`));
    expect(await at.refused()).toMatch(/^NotChecked: the log of the service is not in the policy$/);
    expect(await at.watch({ policy: both, now: () => START + 6 * HOUR })).toMatchObject({
      origin: at.log.origin,
      checked: 2,
      epoch: 2,
      before: { origin: ORIGIN, epoch: 3 },
    });
  });

  test("one whose key was replaced, for a policy with both keys, and for no other", async () => {
    const line = `log ${vkeyOf(keyOf(ORIGIN, KEY_TYPE.ed25519, parseVkey(NEXT_VKEY).publicKey))}`;
    const policyWith = (lines: string) => Buffer.from(String(POLICY).replace(/^log .*$/m, lines));
    const [both, nextAlone] = [policyWith(`$&\n${line}`), policyWith(line)];
    await at.watch();
    at.log.signer = "next";
    hours(at.log, 4, 4);
    const now = () => START + 5 * HOUR;
    expect(await at.refused({ now })).toMatch(/^signature_missing: the checkpoint: /);
    expect(await at.refused({ now, policy: nextAlone })).toMatch(/the state cannot be used: /);
    const first = { now, policy: nextAlone, state: `${at.state}.new` };
    expect(await at.verdict(first)).toMatch(/^signature_missing: epoch 1: /);
    const before = { origin: ORIGIN, epoch: 3 };
    expect(await at.watch({ now, policy: both })).toMatchObject({ checked: 1, epoch: 4, before });
  });

  test("a policy without a quorum says that nothing has a time", async () => {
    expect(await at.watch({ policy: NO_QUORUM })).toMatchObject({ hasQuorum: false, covered: 300 });
  });
});

describe("another history:", () => {
  beforeEach(async () => {
    await at.watch();
  });

  test.each([2, 3, 5])("checkpoint_conflict: a log of %i epochs that was rewritten", async (to) => {
    at.log = hours(new MadeLog("other"), 1, to);
    expect(await at.refused()).toMatch(
      to < 3
        ? /^checkpoint_conflict: the log is older than .* 300 events: it covers 200$/
        : /^checkpoint_conflict: the log does not continue the kept checkpoint of 300 events$/,
    );
  });

  test("checkpoint_conflict: the same log as it was before", async () => {
    at.log = hours(new MadeLog(), 1, 2);
    expect(await at.refused()).toMatch(/^checkpoint_conflict: the log is older than /);
    // With a checkpoint that is not, its epochs are still missing.
    at.log = hours(new MadeLog(), 1, 4);
    at.log.lines = () => [];
    expect(await at.refused()).toMatch(/^quorum_missing: /);
  });

  test("the wrong reasons of single lines", async () => {
    hours(at.log, 4, 6);
    const page = (change: (lines: Record<string, unknown>[]) => unknown) =>
      at.served.instead.set("/v1/log/heads", (response) => {
        const data = at.log.lines(3);
        response.end(JSON.stringify({ data: change(data) ?? data, has_more: false }));
      });
    const text = (index: number, name: string, from: RegExp | string, to: string) =>
      page((data) => {
        const line = data[index] ?? {};
        line[name] = String(line[name]).replace(from, to);
      });
    text(1, "checkpoint", /(— w1\S* \S{20})./, "$1_");
    expect(await at.refused()).toMatch(/^signature_missing: epoch 5: /);
    text(1, "checkpoint", /(— w1\S* \S{40})(.)/, "$1A");
    expect(await at.refused()).toMatch(/^signature_invalid: epoch 5: /);
    text(1, "entry", "05:00:00", "05:00:01");
    expect(await at.refused()).toMatch(/^head_mismatch: epoch 5: .*not in the tree/);
    page((data) => data.toSpliced(0, 2, data[1] ?? {}, data[0] ?? {}));
    expect(await at.refused()).toMatch(/^head_mismatch: epoch 4: the epochs do not rise/);
    page((data) => data.slice(0, 2));
    expect(await at.refused()).toMatch(/^quorum_missing: /);
    page((data) => data.with(0, { ...data[0], consistency: [] }));
    expect(await at.refused()).toMatch(/^consistency_mismatch: epoch 4: /);
    page((data) => data.with(0, { ...data[0], more: 1 }));
    expect(await at.refused()).toMatch(
      /^file_malformed: a line of heads: .*unknown member, "more"/,
    );
  });

  test("checkpoint_conflict: fewer events than the checkpoint covers", async () => {
    hours(at.log, 4, 4);
    const data = { origin: `${ORIGIN}/${CHAIN}`, size: 399, newest_epoch: { epoch: 4 } };
    at.served.instead.set("/v1/log", (response) => response.end(JSON.stringify({ data })));
    expect(await at.refused()).toMatch(
      /^checkpoint_conflict: the checkpoint covers 400 events, and now there are 399$/,
    );
  });

  test("quorum_missing: a last epoch that one witness has seen", async () => {
    at.log.grow(1).close(START + 4 * HOUR, { w1: START + 4 * HOUR });
    expect(await at.refused()).toMatch(/^quorum_missing: /);
  });

  test("signature_missing: a checkpoint of a key that the policy does not have", async () => {
    at.log.signer = "next";
    expect(await at.refused()).toMatch(/^signature_missing: the checkpoint: /);
  });
});

describe("anchored_late:", () => {
  test("an epoch that a quorum saw later than the lag allows", async () => {
    const time = START + 4 * HOUR;
    at.log.grow(1).close(time, { w1: time + 60, w2: time + 600 });
    expect(await at.verdict({ maxAnchorLag: 600 })).toBe("valid");
    expect(await at.refused({ maxAnchorLag: 599 })).toMatch(
      /^anchored_late: epoch 4: a quorum saw it 600 s after/,
    );
  });

  test("events that were there at the last call, and that no epoch covers in time", async () => {
    at.log.grow(5);
    expect(await at.watch()).toMatchObject({ events: 305, covered: 300 });
    const later = (seconds: number) => ({ maxAnchorLag: HOUR, now: () => START + seconds });
    at.log.grow(5);
    expect(await at.verdict(later(5 * HOUR))).toBe("valid");
    expect(await at.refused(later(5 * HOUR + 1))).toMatch(
      /^anchored_late: there were 305 events at 2026-03-02T04:00:00.000Z; no epoch covers/,
    );
    const time = START + 5 * HOUR;
    at.log.close(time, { w1: time + 60, w2: time + 60 });
    expect(await at.refused(later(6 * HOUR))).toMatch(
      /^anchored_late: .*a quorum saw them, 3660 s/,
    );
    expect(await at.verdict({ ...later(6 * HOUR), maxAnchorLag: HOUR + 60 })).toBe("valid");
  });

  test("checkpoint_conflict: events that were there at the last call, and are gone", async () => {
    at.log.grow(5);
    await at.watch();
    at.log.leaves.length -= 1;
    expect(await at.refused()).toMatch(/^checkpoint_conflict: there were 305 events .* 304$/);
  });
});
