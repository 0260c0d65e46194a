// Guarantee: a policy is read as written or refused with its line; a quorum is met exactly if its witnesses
// have seen a checkpoint, and since the time of the last of the earliest ones.

import { describe, expect, test } from "vitest";
import { meetsQuorum, quorumTime } from "./text/quorum.ts";
import { vector, vectorBytes } from "./testing/vectors.ts";
import { vkeyOf } from "./text/vkey.ts";
import { keyOf, parsePolicy } from "./with-node.ts";

const { keys } = vector<{ readonly keys: Readonly<Record<string, { readonly vkey: string }>> }>(
  "note.json",
);
const vkey = (id: string) => keys[id]?.vkey ?? "";
const witness = (at: number) => vkeyOf(keyOf(`w${at}.example`, 4, Buffer.alloc(32, at)));
const policyOf = (...lines: string[]) => parsePolicy(Buffer.from(`${lines.join("\n")}\n`));
const W = [0, 1, 2].map((at) => `witness w${at} ${witness(at)}`);

test("the policy of the vectors", () => {
  const policy = parsePolicy(vectorBytes("policy.txt"));
  expect(policy.logs.map(({ key }) => vkeyOf(key))).toEqual([vkey("log")]);
  expect(policy.witnesses.map(({ name }) => name)).toEqual(["w1", "w2", "w3"]);
  expect(meetsQuorum(policy, ["w1"])).toBe(false);
  expect(meetsQuorum(policy, ["w1", "w1"])).toBe(false);
  expect(meetsQuorum(policy, ["w3", "w1"])).toBe(true);
});

test("groups of groups, any and all, with addresses, tabs and comments", () => {
  const policy = policyOf(
    "# \u00e9 a comment",
    `\tlog ${vkey("log")} \t https://log.example`,
    ...W,
    "group one any w0 w1",
    "",
    "group both all one w2",
    "quorum both",
  );
  expect(policy.logs[0]?.url).toBe("https://log.example");
  expect(meetsQuorum(policy, ["w0", "w1"])).toBe(false);
  expect(meetsQuorum(policy, ["w1", "w2"])).toBe(true);
  const times = [
    { witness: "w2", time: 30 },
    { witness: "w1", time: 20 },
    { witness: "w0", time: 10 },
    { witness: "w2", time: 25 },
  ];
  expect(quorumTime(policy, times)).toBe(25);
  expect(quorumTime(policy, times.slice(1, 3))).toBeUndefined();
});

test("a policy without witnesses needs none of them", () => {
  const policy = policyOf("quorum none");
  expect(meetsQuorum(policy, [])).toBe(true);
  expect(quorumTime(policy, [])).toBeUndefined();
});

describe("refused, with the line:", () => {
  const many = Array.from({ length: 33 }, (_, at) => `witness v${at} ${witness(at)}`);
  test.each<[string, string[], RegExp]>([
    ["no quorum", W, /one quorum line/],
    ["a second quorum", ["quorum none", "quorum none"], /line 2: .*second quorum/],
    ["a quorum that is not defined before", ["quorum w0", ...W], /line 1: .*not defined/],
    ["a name that is defined twice", [...W, "group w0 any w1", "quorum w0"], /line 4: .*already/],
    ["the name none", [`witness none ${witness(0)}`, "quorum none"], /line 1: .*already/],
    ["none as a member", [...W, "group g any none", "quorum g"], /line 4: .*not defined/],
    ["a member twice", [...W, "group g any w0 w0", "quorum g"], /line 4: .*twice/],
    [
      "a member of two groups",
      [...W, "group g any w0", "group h any w0", "quorum h"],
      /line 5: .*twice/,
    ],
    [
      "a public key twice",
      [W[0] ?? "", `witness v ${witness(0)}`, "quorum v"],
      /line 2: .*key appears twice/,
    ],
    [
      "a public key twice, under another name",
      [
        W[0] ?? "",
        `witness v ${vkeyOf(keyOf("other.example", 4, Buffer.alloc(32, 0)))}`,
        "quorum v",
      ],
      /line 2: .*key appears twice/,
    ],
    ["a log twice", [`log ${vkey("log")}`, `log ${vkey("log")}`, "quorum none"], /line 2: .*twice/],
    [
      "a witness's key for a log",
      [`log ${vkey("w1")}`, "quorum none"],
      /line 1: .*not that of a log/,
    ],
    ["a log's key for a witness", [`witness w ${vkey("log")}`, "quorum none"], /line 1: .*witness/],
    ["a threshold of 0", [...W, "group g 0 w0", "quorum g"], /line 4: .*threshold/],
    ["a threshold beyond the members", [...W, "group g 2 w0", "quorum g"], /line 4: .*threshold/],
    ["a threshold with another name", [...W, "group g constructor w0", "quorum g"], /threshold/],
    ["a group without members", [...W, "group g any", "quorum g"], /line 4: group/],
    ["a control character", ["quorum none\r"], /control characters/],
    ["another word", ["quorum none", "witnesses 3"], /line 2: a line begins with/],
    ["too many words", ["quorum none extra"], /line 1: quorum <name>/],
    ["33 witnesses", [...many, "quorum none"], /line 33: .*at most 32/],
    ["a malformed key", ["log x", "quorum none"], /line 1: a vkey/],
  ])("%s", (_, lines, message) => {
    expect(() => policyOf(...lines)).toThrow(message);
  });
});
