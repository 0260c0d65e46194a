// Guarantee: callers that leave while large answers are on their way end their own calls only. The connection
// that all calls share goes on, and no call beside them fails. nghttp2 ends a connection when more than some
// 1,000 frames have come on streams that its own side has reset.

import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { type LedgerHandlers, Opened } from "./testing/test-ledger.ts";

const opened = new Opened();
afterEach(() => opened.closeAll());

const LEFT = 600;
const AT_ONCE = 3;
const LARGE = 1_000 * 1024;

/** Leaves calls as soon as the server has sent their answers, and calls beside them. */
async function leaveCalls(
  handlers: (sent: () => void) => LedgerHandlers,
  call: (client: ReturnType<Opened["client"]>["client"], signal: AbortSignal) => Promise<unknown>,
): Promise<unknown[]> {
  const failed: unknown[] = [];
  let leave = (): void => {};
  const getUsage = () => ({ events: 1n });
  const { address } = await opened.server({ getUsage, ...handlers(() => leave()) });
  const { client } = opened.client(address);
  for (let n = 0; n < LEFT; n += AT_ONCE) {
    const left = new AbortController();
    let begun = 0;
    leave = () => {
      begun += 1;
      if (begun === AT_ONCE) setImmediate(() => left.abort());
    };
    const calls = Array.from({ length: AT_ONCE }, () => call(client, left.signal).catch(() => {}));
    const beside = client.getUsage({}).catch((error: unknown) => failed.push(error));
    await Promise.all([...calls, beside]);
    await turn();
  }
  return failed;
}

it("callers of unary calls that leave fail no call beside them", async () => {
  const event = { id: "x".repeat(LARGE) };
  const failed = await leaveCalls(
    (sent) => ({
      getEvent: () => {
        sent();
        return { event };
      },
    }),
    (client, signal) => client.getEvent({}, { signal }),
  );
  expect(failed).toStrictEqual([]);
});

it("readers of streams that leave fail no call beside them", async () => {
  const text = Buffer.alloc(LARGE);
  const failed = await leaveCalls(
    (sent) => ({
      async *streamEvents() {
        yield {};
        sent();
        yield { text };
      },
    }),
    async (client, signal) => {
      for await (const _ of client.streamEvents({}, { signal }));
    },
  );
  expect(failed).toStrictEqual([]);
});
