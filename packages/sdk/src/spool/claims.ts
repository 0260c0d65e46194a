// Takes over the folders of owners that are gone, of the same account alone. Called by spool-tracker.ts. It
// must never send from a folder that another process has claimed: the rename decides.

import * as fs from "node:fs/promises";
import { join } from "node:path";
import { Folder, isClaimable } from "./folder.ts";
import { isGone, type Owner } from "./owner.ts";
import type { Sync } from "./settings.ts";

const FOLDER = /^\d{8}T\d{9}Z-[0-9a-f]{12}(?:~\d{8}T\d{9}Z-[0-9a-f]{12})?$/;

/** A folder without an owner that is older has none. */
const OLD_MS = 60_000;

export interface Claiming {
  readonly dir: string;
  /** The claimant's own name. */
  readonly name: string;
  readonly sync: Sync;
  readonly now: () => number;
  /** Waits until the service says it. Undefined once the client is closed. */
  readonly account: () => Promise<string | undefined>;
  readonly self: Owner;
}

/** Resolves to the claimed folders, the oldest first. */
export async function claim({ account, dir, name, now, self, sync }: Claiming): Promise<Folder[]> {
  const claimed: Folder[] = [];
  const folders = (await fs.readdir(dir).catch(noneIfMissing))
    .filter((each) => FOLDER.test(each))
    .toSorted();
  for (const each of folders) {
    const [first = "", claimant] = each.split("~");
    const path = join(dir, each);
    if ((claimant ?? first) === name || !(await isFree(path, now()))) continue;
    const owner = await ownerOf(path);
    const isSameKey = owner?.key != null && owner.key === self.key;
    // Without a known account, only the API key says whose events they are.
    if (!isSameKey && (owner?.account == null || owner.account !== (await account()))) continue;
    const to = `${first}~${name}`;
    try {
      await fs.rename(path, join(dir, to));
      const folder = new Folder(dir, to, sync);
      await folder.writeOwner({ ...self, account: owner?.account ?? self.account }, now());
      await folder.load();
      if (folder.entries.length > 0) claimed.push(folder);
      else await folder.removeIfEmpty();
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return claimed;
}

/** Whether the owner is gone, and what it left is not for a person alone. */
async function isFree(path: string, now: number): Promise<boolean> {
  try {
    const owner = await ownerOf(path);
    if (owner === undefined) return await removeOld(path, now);
    const { mtimeMs } = await fs.stat(join(path, "owner.json"));
    return isGone(owner, mtimeMs, now) && (await isClaimable(path));
  } catch {
    return false;
  }
}

/** A process was killed while it deleted an empty folder. One that is new may be somebody's. */
async function removeOld(path: string, now: number): Promise<false> {
  const { mtimeMs } = await fs.stat(path);
  if (now - mtimeMs > OLD_MS) await fs.rmdir(path);
  return false;
}

/** Nobody has tracked anything here yet. */
function noneIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}

async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await fs.readFile(join(path, "owner.json"), "utf8")) as Owner;
  } catch {
    return undefined;
  }
}
