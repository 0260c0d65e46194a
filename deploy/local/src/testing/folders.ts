// Temporary folders for the stack's tests. Used by tests only.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder that every user may enter; the caller removes it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "annals-local-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** A new folder that every user may enter, removed when the test ends. */
export function temporaryFolder(): string {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
