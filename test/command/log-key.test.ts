// Guarantees: `annals log-key new` prints a key that is new each time, in the form of the key file, with the
// vkey that verifies what it signs.

import { noteSigner, parseVkey, vkeyOf } from "@annals/tlog";
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { runAnnals } from "./type-line.ts";

const made = (...args: readonly string[]) => runAnnals(["log-key", "new", ...args], {});

test("log-key new prints a line of the key file, and the vkey of that key in a comment", async () => {
  const { status, stdout, stderr } = await made("--origin", "log.example.com");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [comment = "", line = "", ...rest] = stdout.split("\n");
  expect(rest).toEqual([""]);
  const { key } = noteSigner("log.example.com", Buffer.from(line, "base64"));
  expect(comment).toBe(`# ${vkeyOf(key)}`);
  expect((await made()).stdout).not.toContain(line);
});

test("without --origin it has the default origin of the key by default", async () => {
  const { line, origin, vkey } = JSON.parse((await made("--json")).stdout);
  const { publicKey } = parseVkey(vkey);
  expect(publicKey).toEqual(noteSigner("x", Buffer.from(line, "base64")).key.publicKey);
  expect(origin).toBe(`annals/${hash("sha256", publicKey).slice(0, 16)}`);
  expect(parseVkey(vkey).name).toBe(origin);
});
