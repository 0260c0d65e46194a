// Guarantee: the watch compares the log with what the witnesses themselves have seen, sends the key to the
// service alone, and says "not checked" of what cannot be read, without any change to what it has kept.

import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ORIGIN } from "./made-bundle.ts";
import { MadeLog, type Served } from "./made-log.ts";
import { HOUR, hours, MadeWatch, START } from "./made-watch.ts";

let at: MadeWatch;

beforeEach(async () => {
  at = await new MadeWatch().start();
});
afterEach(async () => {
  await at[Symbol.asyncDispose]();
});

describe("what the witnesses have seen:", () => {
  const view = (size: number, seconds: number, made = at.log) =>
    made.headLog(size, { w1: START + seconds });

  test("the same head log, and a witness that cannot be read", async () => {
    at.views["w1"] = () => view(3, 3 * HOUR + 6);
    const report = await at.watch({ policy: at.withUrls("w1", "w3") });
    expect(report.unread).toEqual([
      { witness: "w3", why: expect.stringMatching(/\/w3\/[0-9a-f]{64}\/checkpoint: .*404$/) },
    ]);
    const asked = at.served.requests.filter((each) => each.startsWith("/w"));
    expect(asked.map((each) => each.slice(0, 4)).toSorted()).toEqual(["/w1/", "/w3/"]);
    expect(asked.every((each) => each.endsWith("without a key"))).toBe(true);
    at.served.requests.length = 0;
    await at.watch({ policy: at.withUrls("w1", "w3"), asksWitnesses: false });
    expect(at.served.requests.filter((each) => each.startsWith("/w"))).toEqual([]);
  });

  test("nothing is checked where none of them can be read", async () => {
    expect(await at.verdict({ policy: at.withUrls("w3") })).toMatch(
      /^NotChecked: no witness could be /,
    );
    at.views["w1"] = () => at.log.headLog(3, { w2: START });
    expect(await at.verdict({ policy: at.withUrls("w1") })).toMatch(/^NotChecked: .*cosignature/);
    expect(readdirSync(at.folder.path)).toEqual([]);
  });

  test("checkpoint_conflict: another head log, a log or a witness that was set back", async () => {
    await at.watch();
    const policy = at.withUrls("w1");
    at.views["w1"] = () => view(3, 3 * HOUR, hours(new MadeLog("other"), 1, 3));
    expect(await at.refused({ policy })).toMatch(
      /^checkpoint_conflict: witness w1 .*another head log/,
    );
    const longer = hours(new MadeLog(), 1, 4);
    at.views["w1"] = () => view(4, 4 * HOUR, longer);
    expect(await at.refused({ policy })).toMatch(/^checkpoint_conflict: witness w1 .*set back/);
    at.views["w1"] = () => view(2, 2 * HOUR);
    expect(await at.refused({ policy })).toMatch(
      /^checkpoint_conflict: .*cosigned 3 .* knows 2 only/,
    );
    // A cache may be older by some minutes.
    expect(await at.verdict({ policy, now: () => START + 3 * HOUR + 60 })).toBe("valid");
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
    at.served.instead.set("/v1/log", reply);
    expect(await at.verdict()).toMatch(/^NotChecked: GET http/);
    expect(await at.verdict()).toMatch(expected);
    expect(readdirSync(at.folder.path)).toEqual([]);
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
    at.served.instead.set("/v1/log", (response) => response.writeHead(302, { location }).end());
    expect(await at.verdict()).toMatch(/^NotChecked: .*status 302$/);
    other.close();
    expect(asked).toEqual([]);
  });

  test("pages that do not come to an end", async () => {
    const page = JSON.stringify({ data: at.log.lines(0).slice(0, 1), has_more: true });
    at.served.instead.set("/v1/log/heads", (response) => response.end(page));
    expect(await at.verdict()).toMatch(/^(NotChecked: the pages|head_mismatch: .*do not rise)/);
    const empty = JSON.stringify({ data: [], has_more: true });
    at.served.instead.set("/v1/log/heads", (response) => response.end(empty));
    expect(await at.verdict()).toMatch(/^NotChecked: the pages of heads do not come to an end/);
  });

  test("an address, a key, a policy or a state that cannot be used, or is of another account", async () => {
    expect(await at.verdict({ url: "annals.example.com" })).toMatch(/^NotChecked: the address /);
    expect(await at.verdict({ url: "http://u:p@127.0.0.1/" })).toMatch(/^NotChecked: the address /);
    expect(await at.verdict({ apiKey: "secret\nX: y" })).toBe(
      "NotChecked: the API key has other characters than a key",
    );
    expect(await at.verdict({ policy: Buffer.from("quorum none") })).toMatch(
      /^NotChecked: the log /,
    );
    await at.watch();
    const kept = readFileSync(at.state, "utf8");
    for (const [from, to] of [
      ['"v":1', '"v":2'],
      ["\\n300\\n", "\\n301\\n"],
      ['"size":300', '"size":299'],
      ["{", "["],
    ] as const) {
      writeFileSync(at.state, kept.replace(from, to));
      expect(await at.refused()).toMatch(/^NotChecked: the state cannot be used: /);
    }
    writeFileSync(at.state, kept);
    const reply = JSON.stringify({
      data: { origin: `${ORIGIN}/acct_2`, size: 1, newest_epoch: null },
    });
    at.served.instead.set("/v1/log", (response) => response.end(reply));
    expect(await at.refused()).toMatch(/^NotChecked: the state is of another account, acct_/);
  });

  test("a state that cannot be written", async () => {
    expect(await at.verdict({ state: join(at.folder.path, "absent", "state") })).toMatch(
      /^NotChecked: the state cannot be written \(ENOENT\)/,
    );
  });
});
