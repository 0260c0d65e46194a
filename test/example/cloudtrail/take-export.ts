// Takes the account's events away as a file with proofs and verifies it, as an auditor would:
// nothing but the file takes part in the verification. Called by main.ts.

import type { Client } from "./client.ts";
import { type Report, verifyFile } from "annals-verify";

/** What the service says of an export, as far as it is looked at here. */
interface Export {
  readonly id: string;
  readonly status: "pending" | "running" | "completed" | "failed";
  readonly sha256: string | null;
}

export interface TakenExport {
  readonly id: string;
  /** As the service reported it; the file has it, or the verification had failed. */
  readonly sha256: string;
  readonly report: Report;
}

/** Between two polls of the status: not more than a part of a key's requests in a minute. */
const LOOK_INTERVAL_MS = 1_000;
const MAX_LOOKS = 600;

/**
 * Makes an export, waits until it is completed, downloads it to `file` and verifies it. Rejects
 * with annals-verify's BadLine where the file is not valid.
 */
export async function takeExport(
  client: Client,
  file: string,
  wait: (ms: number) => Promise<void>,
): Promise<TakenExport> {
  const asked = JSON.stringify({ format: "jsonl", include_proofs: true });
  const created = await client.create<{ data: Export }>("/v1/exports", asked);
  const { id, sha256 } = await completed(client, created.body.data, wait);
  await client.download(`/v1/exports/${id}/content`, file);
  return { id, sha256, report: await verifyFile(file, { sha256 }) };
}

async function completed(
  client: Client,
  created: Export,
  wait: (ms: number) => Promise<void>,
): Promise<{ id: string; sha256: string }> {
  const { id } = created;
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const { data } = (await client.get<{ data: Export }>(`/v1/exports/${id}`)).body;
    if (data.status === "completed" && data.sha256 !== null) return { id, sha256: data.sha256 };
    if (data.status === "failed") throw new Error(`the export ${id} failed`);
    await wait(LOOK_INTERVAL_MS);
  }
  throw new Error(`the export ${id} is not completed after ${MAX_LOOKS} looks`);
}
