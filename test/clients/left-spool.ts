// A folder that a gone process has left in a spool, written as docs/spool-format.md has it, by no SDK. Used
// by the cases of the spool.

import { createHash } from "node:crypto";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const OWNER = "20260131T080000000Z-0123456789ab";
/** Gone processes that started later. */
export const LATER_OWNERS = [
  "20260131T081000000Z-0123456789ab",
  "20260131T082000000Z-0123456789ab",
] as const;
const NOW = Date.parse("2026-01-31T09:30:00Z");
const HOUR_MS = 3_600_000;

export function leaveSpooled(
  dir: string,
  files: Readonly<Record<string, string>>,
  { account = "acct_a", name = OWNER, sentHoursAgo = 1 } = {},
): void {
  const path = join(dir, name);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const owner = { account, key: null, boot_id: null, pid_namespace: null, pid: 1, started: null };
  writeFileSync(join(path, "owner.json"), JSON.stringify(owner));
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(path, file), text);
    const time = (NOW - sentHoursAgo * HOUR_MS) / 1_000;
    utimesSync(join(path, file), time, time);
  }
  utimesSync(join(path, "owner.json"), 0, 0);
}

export function line(action: string): string {
  return lineOf(JSON.stringify({ action, occurred_at: "2026-01-31T08:00:00.000Z" }));
}

export function lineOf(text: string): string {
  return `${createHash("sha256").update(text).digest("hex").slice(0, 16)} ${text}\n`;
}
