// Guarantee: slow clients are looked for only while there is a request, so a gateway without requests is not
// woken; a request after such a rest is given its whole time, and is ended after it.

import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Exchange } from "./exchange.ts";
import { SlowClients } from "./slow-clients.ts";
import { Transfer } from "./transfer-rate.ts";

const TRANSFERS = { minBytesPerSecond: 1_000, bodyWindowMs: 5_000, responseWindowMs: 5_000 };
const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number): void => void vi.advanceTimersByTime(ms);

function opened() {
  const open = new Map<IncomingMessage, Exchange>();
  const refused: string[] = [];
  const slow = new SlowClients(open, {
    transfers: TRANSFERS,
    metrics: { refused: (resource) => refused.push(resource) },
    disconnect: ({ request }) => open.delete(request),
  });
  /** A request whose body does not come. */
  const begin = (): IncomingMessage => {
    const request = { socket: { bytesRead: 0, writableLength: 0 }, complete: false };
    const response = { headersSent: false };
    const exchange = { request, response, isReading: true, transfer: new Transfer() };
    open.set(request as IncomingMessage, exchange as unknown as Exchange);
    slow.watch();
    return request as IncomingMessage;
  };
  return { begin, open, refused };
}

test("without a request there is no timer, and one for any number of them", () => {
  const { begin, open } = opened();
  expect(vi.getTimerCount()).toBe(0);
  const requests = [begin(), begin()];
  expect(vi.getTimerCount()).toBe(1);
  for (const request of requests) open.delete(request);
  after(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test("a body that stalls is ended, after its whole time, also behind a rest", () => {
  const { begin, open, refused } = opened();
  open.delete(begin());
  after(HOUR_MS);
  begin();
  after(TRANSFERS.bodyWindowMs);
  expect(refused).toEqual([]);
  after(1_000);
  expect(refused).toEqual(["slow_body"]);
  expect(vi.getTimerCount()).toBe(0);
});
