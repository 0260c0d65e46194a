// Guarantees: a key file that is not set, not there or malformed is an error that names the setting and never
// what the file holds. A changed file is used without a restart, and a broken one changes nothing.

import { parseKeyFile } from "@annals/contract";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { ConfigError } from "./config.ts";
import { followKeyFile, readKeyFile } from "./key-file.ts";

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
  const { parsed } = await readKeyFile(SETTING, file, parseKeyFile);
  expect([...parsed.keys()]).toEqual(["two", "one"]);
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

test("a changed file is used, a broken one is reported once and changes nothing", async () => {
  const lines: { msg: string; setting?: string; reason?: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const file = await fileWith(`one:${KEY}`);
  // At once, as Kubernetes does it.
  const replace = async (text: string): Promise<void> => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  let ids: string[] = [];
  const use = (text: string): void => void (ids = [...parseKeyFile(text).keys()]);
  const { text: inUse } = await readKeyFile(SETTING, file, use);
  const following = followKeyFile(SETTING, file, use, { log, intervalMs: 5, inUse });
  onTestFinished(() => following.stop());
  expect(ids).toEqual(["one"]);
  await replace(`two:${KEY}\none:${KEY}`);
  await vi.waitFor(() => expect(ids).toEqual(["two", "one"]));
  await replace(`two:${KEY.slice(2)}`);
  await vi.waitFor(() => expect(lines).toHaveLength(2));
  await replace(`three:${KEY}`);
  await vi.waitFor(() => expect(ids).toEqual(["three"]));
  await vi.waitFor(() => expect(lines).toHaveLength(3));
  expect(lines.map(({ msg }) => msg)).toEqual([
    "new keys are in use",
    "failed to load new keys: keeping the current ones",
    "new keys are in use",
  ]);
  expect(lines[1]).toMatchObject({
    setting: "ANNALS_X_FILE",
    reason: expect.stringMatching(/^line 1/),
  });
  expect(JSON.stringify(lines)).not.toContain(KEY.slice(2, 20));
});
