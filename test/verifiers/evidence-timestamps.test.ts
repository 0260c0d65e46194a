// Guarantee: a time stamp counts only if an authority that the caller named signed it over this checkpoint of
// the head log, which the log signed; then it gives the time where a policy has no witnesses.

import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  NO_QUORUM,
  relisted,
  vectorBytes,
  vectorFiles,
  verdictOf,
  verifyBundle,
} from "./made-bundle.ts";

const PRUNED = vectorFiles("pruned");

describe("time stamps", () => {
  const given = JSON.parse(String(vectorBytes("timestamp.json"))) as {
    readonly checkpoint: string;
    readonly response_base64: string;
    readonly ca_pem: string;
  };
  const token = Buffer.from(given.response_base64, "base64");
  const timestampAuthorities = Buffer.from(given.ca_pem);
  const stamped = (response: Buffer = token, checkpoint = given.checkpoint) =>
    relisted(
      new Map([
        ...PRUNED,
        ["timestamps/8.tsr", response],
        ["timestamps/8.checkpoint", Buffer.from(checkpoint)],
      ]),
    );
  const options = { policy: NO_QUORUM, timestampAuthorities, maxAnchorLag: 366 * 86_400 };

  test("give the time where the policy has no witnesses, and are counted where no authority is given", async () => {
    expect(await verifyBundle(stamped(), options)).toMatchObject({
      anchoredBy: "time stamps",
      stamps: { checked: 1, unchecked: 0 },
      unanchored: 0,
    });
    expect(await verdictOf(stamped(), { ...options, maxAnchorLag: 86_400 })).toMatch(
      /^anchored_late/,
    );
    expect(await verifyBundle(stamped())).toMatchObject({ stamps: { checked: 0, unchecked: 1 } });
  });

  const flipped = (at: number) => {
    const bytes = Buffer.from(token);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  /** The status is 2, a rejection. */
  function refused(): Buffer {
    const bytes = Buffer.from(token);
    bytes[8] = 2;
    return bytes;
  }

  test.each<[string, Buffer]>([
    ["another signature", flipped(token.length - 9)],
    ["another time", flipped(token.indexOf("20261123") + 13)],
    ["another digest", flipped(token.indexOf(Buffer.from("04206e65debd", "hex")) + 9)],
    [
      "another attribute",
      flipped(token.indexOf("261123013422Z", token.indexOf("20261123") + 40) + 2),
    ],
    ["a token that was cut off", token.subarray(0, -5)],
    ["a token that was not granted", refused()],
    ["nothing", Buffer.alloc(0)],
  ])("timestamp_invalid: %s", async (_, response) => {
    expect(await verdictOf(stamped(response), options)).toMatch(/^timestamp_invalid: /);
  });

  test("the signer's own certificate is an authority, another one is not", async () => {
    const signer = signerOf(token);
    expect(
      await verdictOf(stamped(), {
        ...options,
        timestampAuthorities: Buffer.from(signer.toString()),
      }),
    ).toBe("valid");
    const tampered = Buffer.from(signer.raw);
    tampered[tampered.length - 5] = (tampered.at(-5) ?? 0) ^ 1;
    const other = new X509Certificate(tampered);
    expect(
      await verdictOf(stamped(), {
        ...options,
        timestampAuthorities: Buffer.from(other.toString()),
      }),
    ).toMatch(/^timestamp_invalid: .*authorities/);
  });

  test("a token over another checkpoint, and a checkpoint that the log did not sign", async () => {
    const first = given.checkpoint.replace(/— w1[^\n]*\n/, "");
    expect(await verdictOf(stamped(token, first), options)).toMatch(
      /^timestamp_invalid: .*something else/,
    );
    const unsigned = given.checkpoint.replace(/— log[^\n]*\n/g, "");
    expect(await verdictOf(stamped(token, unsigned), options)).toMatch(/^signature_missing: /);
  });

  /** The first certificate of the token, that of its signer. */
  function signerOf(bytes: Buffer): X509Certificate {
    const at = bytes.indexOf(Buffer.from("30820263", "hex"));
    return new X509Certificate(bytes.subarray(at, at + 4 + 0x263));
  }
});
