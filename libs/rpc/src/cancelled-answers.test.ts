// Guarantee: callers that leave while large answers are on their way end their own calls only. No side resets
// a stream, so the connection that all calls share goes on, and no call beside them fails: nghttp2 ends a
// connection when more than some 1,000 frames have come on streams that its own side has reset.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { constants, type Http2Stream } from "node:http2";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { type LedgerHandlers, Opened } from "./testing/test-ledger.ts";

const opened = new Opened();
afterEach(() => opened.closeAll());

const LEFT = 30;
const AT_ONCE = 3;
const LARGE = 1_000 * 1024;

/** Codes of the streams that end from here to the end of the test, on both sides, once each. */
function endsOfStreams(): { readonly count: () => number; readonly codes: ReadonlySet<number> } {
  const codes = new Set<number>();
  let count = 0;
  const onClose = (message: unknown): void => {
    const { stream } = message as { stream: Http2Stream };
    codes.add(stream.rstCode ?? constants.NGHTTP2_NO_ERROR);
    count += 1;
  };
  for (const side of ["client", "server"]) {
    const channel = `http2.${side}.stream.close`;
    subscribe(channel, onClose);
    onTestFinished(() => void unsubscribe(channel, onClose));
  }
  return { codes, count: () => count };
}

/** Leaves calls as soon as the server has sent their answers, and calls beside them. */
async function leaveCalls(
  handlers: (sent: () => void) => LedgerHandlers,
  call: (client: ReturnType<Opened["client"]>["client"], signal: AbortSignal) => Promise<unknown>,
): Promise<unknown[]> {
  const failed: unknown[] = [];
  const ends = endsOfStreams();
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
  expect(ends.count()).toBeGreaterThanOrEqual(LEFT);
  expect([...ends.codes]).toStrictEqual([constants.NGHTTP2_NO_ERROR]);
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
