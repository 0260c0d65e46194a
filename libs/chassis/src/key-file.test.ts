// Guarantee: a key file that is not set, not there or malformed is an error that names the setting and never
// what the file holds.

import { parseKeyFile } from "@annals/contract";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ConfigError } from "./config.ts";
import { readKeyFile } from "./key-file.ts";

const SETTING = { env: "ANNALS_X_FILE", purpose: "seals" };
const KEY = Buffer.alloc(32, 7).toString("base64");

async function fileWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "annals-keys-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "keys"), text);
  return join(folder, "keys");
}

test("the keys come in the order of the file", async () => {
  const file = await fileWith(`# newest first\ntwo:${KEY}\n\none:${KEY}\n`);
  expect([...(await readKeyFile(SETTING, file, parseKeyFile)).keys()]).toEqual(["two", "one"]);
});

test("what is wrong is said without the content", async () => {
  const read = (file: string | undefined) => readKeyFile(SETTING, file, parseKeyFile);
  await expect(read(undefined)).rejects.toThrow("ANNALS_X_FILE is required: it seals");
  await expect(read("/none/such")).rejects.toThrow(/^ANNALS_X_FILE \/none\/such: ENOENT/);
  const fault = read(await fileWith(`one:${KEY}\ntwo:${KEY.slice(2)}\n`));
  await expect(fault).rejects.toThrow(/line 2 is not/);
  await expect(fault).rejects.toBeInstanceOf(ConfigError);
  await expect(fault).rejects.not.toThrow(KEY.slice(2, 20));
});
