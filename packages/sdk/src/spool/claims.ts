// Takes over the folders of owners that are gone, of the same account alone. Called by spool-tracker.ts. It
// must never send from a folder that another process has claimed: the rename decides.

import * as fs from "node:fs/promises";
import { join } from "node:path";
import { Folder, isClaimable } from "./folder.ts";
import { isGone, type Owner } from "./owner.ts";
import type { SpoolSettings } from "./settings.ts";

const FOLDER = /^\d{8}T\d{9}Z-[0-9a-f]{12}(?:~\d{8}T\d{9}Z-[0-9a-f]{12})?$/;

/** A folder without an owner that is older has none. */
const OLD_MS = 60_000;

export interface Claiming {
  readonly settings: SpoolSettings;
  /** The claimant's own name. */
  readonly name: string;
  readonly now: () => number;
  /** Waits until the service says it. Undefined once the client is closed. */
  readonly account: () => Promise<string | undefined>;
  readonly self: Owner;
}

/** Resolves to the claimed folders, the oldest first. What fails for one is reported, and stops no other. */
export async function claim(claiming: Claiming): Promise<Folder[]> {
  const { dir, onProblem } = claiming.settings;
  const claimed: Folder[] = [];
  const found = await fs.readdir(dir).catch(noneIfMissing);
  for (const name of found.filter((each) => FOLDER.test(each)).toSorted()) {
    try {
      const folder = await claimOne(name, claiming);
      if (folder !== undefined) claimed.push(folder);
    } catch (error) {
      onProblem({ dir, error });
    }
  }
  return claimed;
}

/** Undefined if it has another owner, or has nothing to send. */
async function claimOne(
  found: string,
  { account, name, now, self, settings: { dir, onProblem, sync } }: Claiming,
): Promise<Folder | undefined> {
  const [first = "", claimant] = found.split("~");
  const path = join(dir, found);
  if ((claimant ?? first) === name || !(await isFree(path, now()))) return undefined;
  const owner = await ownerOf(path);
  const isSameKey = owner?.key != null && owner.key === self.key;
  // Without a known account, only the API key says whose events they are.
  if (!isSameKey && (owner?.account == null || owner.account !== (await account())))
    return undefined;
  const folder = new Folder(dir, `${first}~${name}`, sync);
  if (!(await isRenamed(path, folder.path))) return undefined;
  try {
    await folder.writeOwner({ ...self, account: owner?.account ?? self.account }, now());
  } catch (error) {
    // The disk is full. If another process claims the folder, it sends the same under the same keys.
    onProblem({ dir, error });
  }
  try {
    await folder.load();
  } catch (error) {
    await giveBack(folder, path);
    throw error;
  }
  if (folder.entries.length > 0) return folder;
  await folder.removeIfEmpty();
  return undefined;
}

async function isRenamed(from: string, to: string): Promise<boolean> {
  try {
    await fs.rename(from, to);
    return true;
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** Makes it nobody's again, to be claimed when the disk works. */
async function giveBack(folder: Folder, path: string): Promise<void> {
  try {
    folder.touch(0);
    await fs.rename(folder.path, path);
  } catch {
    // It is claimed when this process is gone.
  }
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
