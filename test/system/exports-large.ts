// A large export as a client takes it: made, waited for, downloaded into a file, while the memory of those
// who write and pass it on is watched. Called by the flows of exports and by the suite of faults with a
// million events.

import type { Stack } from "@annals/local";
import type { HttpClient, TestAccount } from "@annals/testing";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { get } from "node:http";
import { pipeline } from "node:stream/promises";
import { ended } from "./exports-client.ts";
import { peaks } from "./process-memory.ts";

/** Resident memory of each process that an export goes through, whatever its size. */
export const MAX_RSS_MB = 200;

export interface Exporting {
  readonly stack: Pick<Stack, "baseUrls" | "processes">;
  readonly account: TestAccount;
  readonly client: HttpClient;
  /** By default JSON Lines. */
  readonly format?: string;
}

/** Resolves to the SHA-256 of what came. */
export async function download(
  { stack, account }: { readonly stack: Pick<Stack, "baseUrls"> } & Pick<Exporting, "account">,
  id: string,
  file: string,
): Promise<string> {
  const headers = { authorization: `Bearer ${account.key}` };
  const request = get(`${stack.baseUrls[0]}/v1/exports/${id}/content`, { headers });
  const [response] = await once(request, "response");
  if (response.statusCode !== 200) throw new Error(`the content got ${response.statusCode}`);
  await pipeline(response, createWriteStream(file));
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(file)) digest.update(chunk as Buffer);
  return digest.digest("hex");
}

/** Everything with proofs: the export's data, what its file digests to, and who held how much, in MB. */
export async function exportAll(exporting: Exporting, file: string, withinMs: number) {
  const { client, format = "jsonl", stack } = exporting;
  const watched = stack.processes.filter(({ service }) =>
    ["ledger", "export", "gateway"].includes(service),
  );
  const { result, most } = await peaks(watched, async () => {
    const created = await client.post("/v1/exports", { format, include_proofs: true });
    if (created.status !== 201) throw new Error(`the export got ${created.status}`);
    const data = await ended(client, created.body.data.id, "completed", withinMs);
    return { data, sha256: await download(exporting, data.id, file) };
  });
  const held = watched.map(({ service, index }, at) => ({
    name: `${service}-${index}`,
    mb: Math.round(most[at] ?? 0),
  }));
  return { ...result, held };
}
