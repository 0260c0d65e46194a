// Guarantees: `annals log-key new` prints a key that is new each time, in the form of the key file, with the
// vkey that verifies what it signs.

import { noteSigner, parseVkey, vkeyOf } from "@annals/tlog";
import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const ANNALS = resolve(import.meta.dirname, "../../deploy/annals");

function made(
  ...args: readonly string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(ANNALS, ["log-key", "new", ...args], (error, stdout, stderr) =>
      done({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

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
