// Guarantees: interceptors know the caller of a call, unary or streaming. A call that the table does not
// grant is refused before its handler runs, is a fault of the installation for its client, and does not fill
// the log.

import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { callerOf } from "../access.ts";
import { collectingLog, Opened } from "../testing/test-ledger.ts";
import { openCertificates } from "../testing/test-tls.ts";

const CALLS = 5;

const opened = new Opened();
afterEach(() => opened.closeAll());

it("the caller is in the context of each call", async () => {
  const seen: unknown[] = [];
  const spy: Interceptor = (next) => (request) => {
    seen.push(callerOf(request));
    return next(request);
  };
  const server = await opened.server(
    {
      getEvent: () => ({}),
      async *streamEvents() {
        yield {};
      },
    },
    { interceptors: [spy] },
  );
  const { client } = opened.client(server.address);
  await client.getEvent({});
  for await (const _ of client.streamEvents({})) break;
  expect(seen).toStrictEqual(["gateway", "gateway"]);
});

it("a refused call reaches no handler, is counted each time and logged once a second", async () => {
  const { log, lines } = collectingLog();
  const refused: object[] = [];
  let handled = 0;
  const server = await opened.server(
    { getEvent: () => ((handled += 1), {}) },
    { log, refused: { inc: (labels: unknown) => void refused.push(labels as object) } },
  );
  // Every series that an alert uses exists from the start.
  expect(refused.length).toBeGreaterThan(CALLS);
  refused.length = 0;
  const tls = await openCertificates("export");
  onTestFinished(() => tls.close());
  const { client } = opened.client(server.address, { tls });
  for (let n = 0; n < CALLS; n += 1) {
    const error = await client.getEvent({}).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ kind: "internal" });
    expect(ConnectError.from((error as Error).cause).code).toBe(Code.PermissionDenied);
  }
  expect(handled).toBe(0);
  const labels = { caller: "export", rpc_method: "get-event" };
  expect(refused).toStrictEqual(Array.from({ length: CALLS }, () => labels));
  const warnings = lines.filter(({ level }) => level >= 40);
  expect(warnings).toMatchObject([{ level: 40, refusals: 1, ...labels }]);
});
