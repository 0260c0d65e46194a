// Guarantee: the watch accepts exactly a log that continues what it has kept, whose epochs a quorum has seen
// in time, and which the witnesses themselves know; for anything else the kept checkpoint stays as it was.

import { KEY_TYPE, keyOf, parseVkey, vkeyOf } from "@annals/tlog";
import { mkdtempDisposableSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchLog, type WatchOptions, type WatchReport } from "annals-verify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHAIN, NEXT_VKEY, NO_QUORUM, ORIGIN, POLICY } from "./made-bundle.ts";
import { MadeLog, serveLog, type Served, type WitnessViews } from "./made-log.ts";

const START = 1_772_409_600;
const HOUR = 3600;
const KEY = "annals_live_key";

let log: MadeLog;
let views: WitnessViews;
let served: Served;
let folder: ReturnType<typeof mkdtempDisposableSync>;
let state: string;

beforeEach(async () => {
  log = hours(new MadeLog(), 1, 3);
  views = {};
  served = await serveLog(() => log, views, 2);
  folder = mkdtempDisposableSync(join(tmpdir(), "annals-watch-"));
  state = join(folder.path, "annals.state");
});
afterEach(async () => {
  await served[Symbol.asyncDispose]();
  folder.remove();
});

/** Grows by 100 events in each hour and closes an epoch at its end, which two witnesses see. */
function hours(made: MadeLog, from: number, to: number): MadeLog {
  for (let hour = from; hour <= to; hour += 1) {
    const time = START + hour * HOUR;
    made.grow(100).close(time, { w1: time + 6, w2: time + 7 });
  }
  return made;
}

const given = (options: Partial<WatchOptions> = {}): WatchOptions => ({
  url: served.url,
  apiKey: KEY,
  policy: POLICY,
  state,
  now: () => START + 4 * HOUR,
  ...options,
});
const watch = async (options: Partial<WatchOptions> = {}): Promise<WatchReport> =>
  await watchLog(given(options));

async function verdict(options: Partial<WatchOptions> = {}): Promise<string> {
  try {
    await watch(options);
    return "valid";
  } catch (error) {
    const { message, name, reason = name } = error as Error & { readonly reason?: string };
    return `${reason}: ${message}`;
  }
}

/** What is said, after which the state is as it was before. */
async function refused(options: Partial<WatchOptions> = {}): Promise<string> {
  const before = readFileSync(state);
  const said = await verdict(options);
  expect(readFileSync(state)).toEqual(before);
  expect(readdirSync(folder.path)).toEqual(["annals.state"]);
  return said;
}

const withUrls = (...names: string[]) =>
  Buffer.from(
    String(POLICY).replace(/^witness (w\d) \S+$/gm, (text, name: string) =>
      names.includes(name) ? `${text} ${served.url}/${name}` : text,
    ),
  );

describe("a log that continues what was kept:", () => {
  test("the first call checks all epochs, the next only what is new", async () => {
    expect(await watch()).toMatchObject({
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
    expect(statSync(state).mode & 0o777).toBe(0o600);
    hours(log, 4, 8);
    const now = () => START + 9 * HOUR;
    const before = { origin: ORIGIN, epoch: 3 };
    expect(await watch({ now })).toMatchObject({ checked: 5, epoch: 8, covered: 800, before });
    expect(readdirSync(folder.path)).toEqual(["annals.state"]);
    expect(statSync(state).mode & 0o777).toBe(0o600);
    served.requests.length = 0;
    log.close(START + 9 * HOUR, {});
    expect(await watch({ now })).toMatchObject({ checked: 0, epoch: 8, covered: 800 });
    expect(served.requests.filter((each) => !each.endsWith(` Bearer ${KEY}`))).toEqual([]);
    expect(served.requests.filter((each) => each.includes("heads"))).toHaveLength(1);
  });

  test("an address with a path", async () => {
    served.instead.set("/audit/v1/log", (response) => response.writeHead(418).end());
    expect(await verdict({ url: `${served.url}/audit` })).toMatch(
      /^NotChecked: GET http:.*\/audit\/v1\/log: .*status 418/,
    );
  });

  test("an epoch that is closed while the lines are read", async () => {
    let reads = 0;
    const { lines } = log;
    log.lines = function (after) {
      reads += 1;
      if (reads === 2) hours(this, 4, 4);
      return lines.call(this, after);
    };
    expect(await watch()).toMatchObject({ covered: 400, checked: 4 });
  });

  test("a log that grows during each reading is not checked", async () => {
    let hour = 4;
    const { lines } = log;
    log.lines = function (after) {
      hours(this, hour, hour);
      hour += 1;
      return lines.call(this, after);
    };
    expect(await verdict()).toMatch(/^NotChecked: the log grew during each of 4 readings/);
  });

  test("a log that follows the one that was kept, whose epochs begin anew", async () => {
    await watch();
    const { leaves } = log;
    log = new MadeLog();
    log.leaves = leaves.slice();
    log.origin = `${ORIGIN}/2`;
    log.signer = "next";
    hours(log, 4, 5);
    const next = keyOf(log.origin, KEY_TYPE.ed25519, parseVkey(NEXT_VKEY).publicKey);
    const both = Buffer.from(String(POLICY).replace(/^log .*$/m, `$&\nlog ${vkeyOf(next)}`));
    expect(await refused()).toMatch(/^NotChecked: the log of the service is not in the policy$/);
    expect(await watch({ policy: both, now: () => START + 6 * HOUR })).toMatchObject({
      origin: log.origin,
      checked: 2,
      epoch: 2,
      before: { origin: ORIGIN, epoch: 3 },
    });
  });

  test("a policy without a quorum says that nothing has a time", async () => {
    expect(await watch({ policy: NO_QUORUM })).toMatchObject({ hasQuorum: false, covered: 300 });
  });
});

describe("another history:", () => {
  beforeEach(async () => {
    await watch();
  });

  test.each([2, 3, 5])("checkpoint_conflict: a log of %i epochs that was rewritten", async (to) => {
    log = hours(new MadeLog("other"), 1, to);
    expect(await refused()).toMatch(
      to < 3
        ? /^checkpoint_conflict: the log is older than .* 300 events: it covers 200$/
        : /^checkpoint_conflict: the log does not continue the kept checkpoint of 300 events$/,
    );
  });

  test("checkpoint_conflict: the same log as it was before", async () => {
    log = hours(new MadeLog(), 1, 2);
    expect(await refused()).toMatch(/^checkpoint_conflict: the log is older than /);
    // With a checkpoint that is not, its epochs are still missing.
    log = hours(new MadeLog(), 1, 4);
    log.lines = () => [];
    expect(await refused()).toMatch(/^quorum_missing: /);
  });

  test("the wrong reasons of single lines", async () => {
    hours(log, 4, 6);
    const page = (change: (lines: Record<string, unknown>[]) => unknown) =>
      served.instead.set("/v1/log/heads", (response) => {
        const data = log.lines(3);
        response.end(JSON.stringify({ data: change(data) ?? data, has_more: false }));
      });
    const text = (at: number, name: string, from: RegExp | string, to: string) =>
      page((data) => {
        const line = data[at] ?? {};
        line[name] = String(line[name]).replace(from, to);
      });
    text(1, "checkpoint", /(— w1\S* \S{20})./, "$1_");
    expect(await refused()).toMatch(/^signature_missing: epoch 5: /);
    text(1, "checkpoint", /(— w1\S* \S{40})(.)/, "$1A");
    expect(await refused()).toMatch(/^signature_invalid: epoch 5: /);
    text(1, "entry", "05:00:00", "05:00:01");
    expect(await refused()).toMatch(/^head_mismatch: epoch 5: .*not in the tree/);
    page((data) => data.toSpliced(0, 2, data[1] ?? {}, data[0] ?? {}));
    expect(await refused()).toMatch(/^head_mismatch: epoch 4: the epochs do not rise/);
    page((data) => data.slice(0, 2));
    expect(await refused()).toMatch(/^quorum_missing: /);
    page((data) => ((data[0] ?? {})["consistency"] = []) && data);
    expect(await refused()).toMatch(/^consistency_mismatch: epoch 4: /);
    page((data) => ((data[0] ?? {})["more"] = 1) && data);
    expect(await refused()).toMatch(/^file_malformed: a line of heads: .*unknown member, "more"/);
  });

  test("quorum_missing: a last epoch that one witness has seen", async () => {
    log.grow(1).close(START + 4 * HOUR, { w1: START + 4 * HOUR });
    expect(await refused()).toMatch(/^quorum_missing: /);
  });

  test("signature_missing: a checkpoint of a key that the policy does not have", async () => {
    log.signer = "next";
    expect(await refused()).toMatch(/^signature_missing: the checkpoint: /);
  });
});

describe("anchored_late:", () => {
  test("an epoch that a quorum saw later than the lag allows", async () => {
    const time = START + 4 * HOUR;
    log.grow(1).close(time, { w1: time + 60, w2: time + 600 });
    expect(await verdict({ maxAnchorLag: 600 })).toBe("valid");
    expect(await refused({ maxAnchorLag: 599 })).toMatch(
      /^anchored_late: epoch 4: a quorum saw it 600 s after/,
    );
  });

  test("events that were there at the last call, and that no epoch covers in time", async () => {
    log.grow(5);
    expect(await watch()).toMatchObject({ events: 305, covered: 300 });
    const later = (seconds: number) => ({ maxAnchorLag: HOUR, now: () => START + seconds });
    log.grow(5);
    expect(await verdict(later(5 * HOUR))).toBe("valid");
    expect(await refused(later(5 * HOUR + 1))).toMatch(
      /^anchored_late: there were 305 events at 2026-03-02T04:00:00.000Z; no epoch covers/,
    );
    const time = START + 5 * HOUR;
    log.close(time, { w1: time + 60, w2: time + 60 });
    expect(await refused(later(6 * HOUR))).toMatch(/^anchored_late: .*a quorum saw them, 3660 s/);
    expect(await verdict({ ...later(6 * HOUR), maxAnchorLag: HOUR + 60 })).toBe("valid");
  });

  test("checkpoint_conflict: events that were there at the last call, and are gone", async () => {
    log.grow(5);
    await watch();
    log.leaves.length -= 1;
    expect(await refused()).toMatch(/^checkpoint_conflict: there were 305 events .* 304$/);
  });
});

describe("what the witnesses have seen:", () => {
  const view = (size: number, seconds: number, made = log) =>
    made.headLog(size, { w1: START + seconds });

  test("the same head log, and a witness that cannot be read", async () => {
    views["w1"] = () => view(3, 3 * HOUR + 6);
    const report = await watch({ policy: withUrls("w1", "w3") });
    expect(report.unread).toEqual([
      { witness: "w3", why: expect.stringMatching(/\/w3\/[0-9a-f]{64}\/checkpoint: .*404$/) },
    ]);
    const asked = served.requests.filter((each) => each.startsWith("/w"));
    expect(asked.map((each) => each.slice(0, 4)).toSorted()).toEqual(["/w1/", "/w3/"]);
    expect(asked.every((each) => each.endsWith("without a key"))).toBe(true);
    served.requests.length = 0;
    await watch({ policy: withUrls("w1", "w3"), asksWitnesses: false });
    expect(served.requests.filter((each) => each.startsWith("/w"))).toEqual([]);
  });

  test("nothing is checked where none of them can be read", async () => {
    expect(await verdict({ policy: withUrls("w3") })).toMatch(/^NotChecked: no witness could be /);
    views["w1"] = () => log.headLog(3, { w2: START });
    expect(await verdict({ policy: withUrls("w1") })).toMatch(/^NotChecked: .*cosignature/);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("checkpoint_conflict: another head log, a log or a witness that was set back", async () => {
    await watch();
    const policy = withUrls("w1");
    views["w1"] = () => view(3, 3 * HOUR, hours(new MadeLog("other"), 1, 3));
    expect(await refused({ policy })).toMatch(/^checkpoint_conflict: witness w1 .*another head log/);
    const longer = hours(new MadeLog(), 1, 4);
    views["w1"] = () => view(4, 4 * HOUR, longer);
    expect(await refused({ policy })).toMatch(/^checkpoint_conflict: witness w1 .*set back/);
    views["w1"] = () => view(2, 2 * HOUR);
    expect(await refused({ policy })).toMatch(/^checkpoint_conflict: .*cosigned 3 .* knows 2 only/);
    // A cache may be older by some minutes.
    expect(await verdict({ policy, now: () => START + 3 * HOUR + 60 })).toBe("valid");
  });
});

describe("not checked:", () => {
  const replies: readonly [string, RegExp, Parameters<Served["instead"]["set"]>[1]][] = [
    ["another status", /status 401$/, (response) => response.writeHead(401).end()],
    ["what is not JSON", /cannot be read/, (response) => response.end("<html>")],
    ["another shape", /the data is not an object/, (response) => response.end("{}")],
    ["more bytes than a log has", /over \d+ bytes/, (response) => response.end(" ".repeat(1e6))],
    ["an end before its time", /\/v1\/log: /, (response) => response.destroy()],
  ];
  test.each(replies)("%s", async (_, expected, reply) => {
    served.instead.set("/v1/log", reply);
    expect(await verdict()).toMatch(/^NotChecked: GET http/);
    expect(await verdict()).toMatch(expected);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("a redirect, whose host gets neither request nor key", async () => {
    const asked: string[] = [];
    const other = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const location = `http://localhost:${port}/v1/log`;
    served.instead.set("/v1/log", (response) => response.writeHead(302, { location }).end());
    expect(await verdict()).toMatch(/^NotChecked: .*status 302$/);
    other.close();
    expect(asked).toEqual([]);
  });

  test("pages that do not come to an end", async () => {
    const page = JSON.stringify({ data: log.lines(0).slice(0, 1), has_more: true });
    served.instead.set("/v1/log/heads", (response) => response.end(page));
    expect(await verdict()).toMatch(/^(NotChecked: the pages|head_mismatch: .*do not rise)/);
    const empty = JSON.stringify({ data: [], has_more: true });
    served.instead.set("/v1/log/heads", (response) => response.end(empty));
    expect(await verdict()).toMatch(/^NotChecked: the pages of heads do not come to an end/);
  });

  test("an address, a key, a policy or a state that cannot be used, or is of another account", async () => {
    expect(await verdict({ url: "annals.example.com" })).toMatch(/^NotChecked: the address /);
    expect(await verdict({ url: "http://u:p@127.0.0.1/" })).toMatch(/^NotChecked: the address /);
    expect(await verdict({ apiKey: "secret\nX: y" })).toBe(
      "NotChecked: the API key has other characters than a key",
    );
    expect(await verdict({ policy: Buffer.from("quorum none") })).toMatch(/^NotChecked: the log /);
    await watch();
    const kept = readFileSync(state, "utf8");
    for (const [from, to] of [
      ['"v":1', '"v":2'],
      ["\\n300\\n", "\\n301\\n"],
      ['"size":300', '"size":299'],
      ["{", "["],
    ] as const) {
      writeFileSync(state, kept.replace(from, to));
      expect(await refused()).toMatch(/^NotChecked: the state cannot be used: /);
    }
    writeFileSync(state, kept);
    const reply = JSON.stringify({ data: { origin: `${ORIGIN}/acct_2`, size: 1, epoch: 1 } });
    served.instead.set("/v1/log", (response) => response.end(reply));
    expect(await refused()).toMatch(/^NotChecked: the state is of another account, acct_/);
  });

  test("a state that cannot be written", async () => {
    expect(await verdict({ state: join(folder.path, "absent", "state") })).toMatch(
      /^NotChecked: the state cannot be written \(ENOENT\)/,
    );
  });
});
