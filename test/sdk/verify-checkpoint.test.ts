// Guarantee: verifyCheckpoint accepts exactly the notes of the worked examples that the keys of its caller
// signed, for the account that its caller names and with the quorum of its policy; and with WebCrypto it
// agrees with Node on every change of a note.

import { CheckpointError, verifyCheckpoint } from "@annals/sdk";
import {
  cosign,
  KEY_TYPE,
  noteSigner,
  noteText,
  parseNote,
  parsePolicy,
  parseVkey,
  verifyNote,
  vkeyOf,
} from "@annals/tlog";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const FOLDER = new URL("../vectors/evidence/", import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");
const vectors = JSON.parse(textOf("note.json")) as {
  readonly keys: Readonly<Record<string, { readonly vkey: string; readonly seed: string }>>;
  readonly policy: string;
  readonly account_vkey: string;
  readonly valid: readonly { readonly note: string; readonly by: readonly string[] }[];
  readonly invalid: readonly { readonly note: string; readonly why: string }[];
};
const mlDsa = JSON.parse(textOf("cosignature-mldsa.json")) as {
  readonly note_text: string;
  readonly vkey: string;
  readonly valid: string;
};

const LOG = vectors.keys["log"]?.vkey ?? "";
const ACCOUNT = "acct_29a6a5e3c39862766d20";
const [alone, rotated, witnessed, ofAccount, unknown] = vectors.valid.map(({ note }) => note);
const seedOf = (id: string) => Buffer.from(vectors.keys[id]?.seed ?? "", "hex");

type Options = Parameters<typeof verifyCheckpoint>[2];

async function reasonOf(note = "", trusted = vectors.policy, options: Options = {}) {
  try {
    await verifyCheckpoint(note, trusted, options);
    return "accepted";
  } catch (error) {
    return error instanceof CheckpointError ? error.reason : (error as Error).name;
  }
}

describe("accepted", () => {
  test("a head log's, by its vkey", async () => {
    expect(await verifyCheckpoint(alone ?? "", LOG)).toEqual({
      origin: "log.example.com/vectors",
      size: 12,
      root: Buffer.from("RbdxxxsOKTMWTlvW285UAG0X8UrUHZi81ya97ZWfnJQ=", "base64").toString("hex"),
      witnesses: [],
      uncounted: [],
    });
  });

  test("during a rotation, and beside a line of an unknown key", async () => {
    expect(await reasonOf(rotated, `${LOG}\n`)).toBe("accepted");
    expect(await reasonOf(rotated, vectors.keys["next"]?.vkey)).toBe("accepted");
    expect(await reasonOf(unknown, LOG)).toBe("accepted");
  });

  test("by a policy whose quorum signed it, with the times", async () => {
    const { witnesses } = await verifyCheckpoint(witnessed ?? "", vectors.policy);
    expect(witnesses).toEqual([
      { name: "w1", time: new Date(1_772_500_000_000) },
      { name: "w3", time: new Date(1_772_500_001_000) },
    ]);
  });

  test("an account's, also by the policy whose witnesses never sign it", async () => {
    const kept = await verifyCheckpoint(ofAccount ?? "", LOG, { account: ACCOUNT });
    expect(kept).toMatchObject({ origin: `log.example.com/vectors/${ACCOUNT}`, size: 300 });
    const known = textOf("known-checkpoint.txt");
    const { origin } = await verifyCheckpoint(known, vectors.policy, {
      account: /\/(acct_\w+)\n/.exec(known)?.[1] ?? "",
    });
    expect(origin).toMatch(/acct_/);
  });

  test("with a cosignature of ML-DSA-44, which counts for nothing and is named", async () => {
    const [origin = ""] = mlDsa.note_text.split("\n");
    const signer = noteSigner(origin, seedOf("log"));
    const note = parseNote(`${mlDsa.note_text}\n${mlDsa.valid.trim()}\n`);
    const signatures = [signer.sign(note.text), ...note.signatures];
    const text = noteText({ text: note.text, signatures });
    const policy = (quorum: string) =>
      `log ${vkeyOf(signer.key)}\nwitness pq ${mlDsa.vkey}\nquorum ${quorum}\n`;
    expect((await verifyCheckpoint(text, policy("none"))).uncounted).toEqual(["pq"]);
    expect(await reasonOf(text, policy("pq"))).toBe("quorum_missing");
  });
});

describe("refused", () => {
  test.each(vectors.invalid)("$why", async ({ note }) => {
    const expected = /signature_|malformed/;
    expect(await reasonOf(note, vectors.policy.replace(/^quorum.*/m, "quorum none"))).toMatch(
      expected,
    );
  });

  test("without the quorum", async () => {
    expect(await reasonOf(alone)).toBe("quorum_missing");
    expect(await reasonOf(witnessed, vectors.policy.replace("any2 2", "any2 3"))).toBe(
      "quorum_missing",
    );
  });

  test("of another account, and an account's in place of the head log's", async () => {
    expect(await reasonOf(ofAccount, LOG, { account: "acct_1" })).toBe("signature_missing");
    expect(await reasonOf(ofAccount, LOG)).toBe("signature_missing");
    expect(await reasonOf(alone, LOG, { account: ACCOUNT })).toBe("signature_missing");
    expect(await reasonOf(ofAccount, LOG, { account: "no name" })).toBe("signature_missing");
  });

  test("signed under the name of another log of the same policy", async () => {
    const { text } = parseNote(alone ?? "");
    const other = noteSigner("other.example", Buffer.alloc(32, 5));
    const note = noteText({ text, signatures: [other.sign(text)] });
    const policy = `log ${LOG}\nlog ${vkeyOf(other.key)}\nquorum none\n`;
    expect(await reasonOf(note, policy)).toBe("signature_missing");
  });

  test("with a cosignature without a time, which makes no quorum", async () => {
    const { signatures, text } = parseNote(alone ?? "");
    const { name } = parseVkey(vectors.keys["w1"]?.vkey ?? "");
    const timed = (time: number) =>
      noteText({ text, signatures: [...signatures, cosign(name, seedOf("w1"), text, time)] });
    const policy = `log ${LOG}\nwitness w1 ${vectors.keys["w1"]?.vkey}\nquorum w1\n`;
    expect(await reasonOf(timed(1), policy)).toBe("accepted");
    expect(await reasonOf(timed(0), policy)).toBe("quorum_missing");
    // No Date has this time.
    expect(await reasonOf(timed(9_000_000_000_000), policy)).toBe("signature_invalid");
  });

  test("by a witness whose line is wrong, which the message names", async () => {
    const { signatures, text } = parseNote(alone ?? "");
    const key = parseVkey(vectors.keys["w1"]?.vkey ?? "");
    for (const bytes of [Buffer.alloc(72, 1), Buffer.alloc(8)]) {
      const line = { name: key.name, keyId: key.id, bytes };
      const note = noteText({ text, signatures: [...signatures, line] });
      await expect(verifyCheckpoint(note, vectors.policy)).rejects.toThrow(
        new CheckpointError("signature_invalid", "the signature of w1 is wrong"),
      );
    }
  });
});

describe("it agrees with verifyNote", () => {
  const isAccepted = (attempt: () => unknown): boolean => {
    try {
      attempt();
      return true;
    } catch {
      return false;
    }
  };

  test("on each change of one character", async () => {
    const note = witnessed ?? "";
    const policy = parsePolicy(Buffer.from(vectors.policy));
    const keys = [...policy.logs, ...policy.witnesses].map(({ key }) => key);
    const lines = vectors.policy.replace(/^quorum.*/m, "quorum none");
    const change = fc.tuple(
      fc.nat(note.length - 1),
      fc.constantFrom("A", "1", "+", "=", "/", " ", "\n", "\u0000", "é"),
    );
    await fc.assert(
      fc.asyncProperty(change, async ([at, character]) => {
        const changed = note.slice(0, at) + character + note.slice(at + 1);
        const isSame = isAccepted(() => {
          const { signed } = verifyNote(parseNote(changed), keys);
          if (!signed.some(({ key }) => key.type === KEY_TYPE.ed25519)) throw new Error("no log");
        });
        expect((await reasonOf(changed, lines)) === "accepted", changed).toBe(isSame);
      }),
    );
  });
});

describe("what is trusted", () => {
  const TOO_LONG = "the policy is too long, or has control characters";
  test.each([
    ["no line", "", "the policy has no quorum line"],
    ["no quorum", `log ${LOG}`, "the policy has no quorum line"],
    ["one word that is no vkey", "x", "the policy cannot be used: line 1"],
    ["a vkey with a letter more", `${LOG}x`, "the policy cannot be used: line 1"],
    ["a wrong line", `log ${LOG}\n# é\nwitness w\n`, "the policy cannot be used: line 3"],
    ["a carriage return", "quorum none\r", TOO_LONG],
    ["a zero byte", "\u0000", TOO_LONG],
    ["a lone surrogate", "# \ud800\nquorum none", TOO_LONG],
    ["more bytes than allowed", `quorum none\n#${"é".repeat(2 ** 17)}`, TOO_LONG],
  ])("is refused: %s", async (_, text, message) => {
    await expect(verifyCheckpoint(alone ?? "", text)).rejects.toThrow(new TypeError(message));
  });

  test("may be a policy without a log", async () => {
    expect(await reasonOf(alone, "quorum none")).toBe("signature_missing");
  });
});
