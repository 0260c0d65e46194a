// What the tests of exports share: an account with some events, and waiting for the end of an export.

import { eventually, HttpClient, newClient, type TestAccount } from "@annals/testing";

export interface Exporter {
  readonly account: TestAccount;
  readonly client: HttpClient;
}

/** A new account whose chain holds one event for each of `events`. */
export async function newExporter(
  stack: { readonly baseUrl: string; readonly databaseUrl: string },
  events: readonly object[],
): Promise<Exporter> {
  const { client, ...account } = await newClient(stack);
  if (events.length > 0) {
    const { status } = await client.post("/v1/events/batch", { events });
    if (status !== 201) throw new Error(`the batch got ${status}`);
  }
  return { account, client };
}

/** The export's `data` once its status is `completed` (or the one given). */
export function ended(client: HttpClient, id: string, status = "completed", timeoutMs = 20_000) {
  return eventually(
    `export ${id} is ${status}`,
    async () => {
      const { body } = await client.get(`/v1/exports/${id}`);
      return body.data.status === status ? body.data : undefined;
    },
    timeoutMs,
  );
}

/** Makes an export and resolves to it, completed, with its content. */
export async function exported(client: HttpClient, request: object) {
  const made = await client.post("/v1/exports", request);
  if (made.status !== 201) throw new Error(`the export got ${made.status}: ${made.text}`);
  const data = await ended(client, made.body.data.id);
  const content = await client.get(`/v1/exports/${data.id}/content`);
  return { data, content };
}
