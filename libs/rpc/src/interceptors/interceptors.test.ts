// Guarantees: each call is one observation and, where traces are exported, one span on each end, in one
// trace that handlers continue; with the verb-noun and the outcome, also when a stream fails late or its
// reader leaves.

import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { AnnalsError } from "@annals/errors";
import { LedgerService } from "@annals/proto/ledger";
import { context, diag, propagation, trace } from "@opentelemetry/api";
import { Code, ConnectError } from "@connectrpc/connect";
import { Histogram, Registry } from "prom-client";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Opened } from "../testing/test-ledger.ts";
import { startTracing, type Tracing } from "@annals/chassis";
import { statusName, verbNoun } from "./follow-call.ts";
import { requestIdOf } from "./request-id.ts";
import { clientInterceptors, serverInterceptors } from "./stacks.ts";

const opened = new Opened();
afterEach(() => opened.closeAll());

const log = pino({ level: "silent" });

function histogram(): Histogram<"rpc_service" | "rpc_method" | "rpc_response_status_code"> {
  return new Histogram({
    name: "calls",
    help: "Calls.",
    labelNames: ["rpc_service", "rpc_method", "rpc_response_status_code"],
    registers: [new Registry()],
  });
}

/** `method status` of each series, with its count. */
async function counts(of: Histogram): Promise<Record<string, number>> {
  const { values } = await of.get();
  const series = values.filter(({ metricName }) => metricName === "calls_count");
  return Object.fromEntries(
    series.map(({ labels, value }) => [
      `${labels["rpc_method"]} ${labels["rpc_response_status_code"]}`,
      value,
    ]),
  );
}

/** A server and a client with all their interceptors. */
async function observed() {
  const atServer = histogram();
  const atClient = histogram();
  const seen: (string | undefined)[] = [];
  const traceId = () => trace.getSpanContext(context.active())?.traceId;
  const server = await opened.server(
    {
      getEvent({ id }) {
        seen.push(traceId());
        if (id === "none") throw new AnnalsError("not_found", "None.");
        return {};
      },
      async *streamEvents({ accountId }) {
        yield {};
        seen.push(traceId());
        if (accountId === "bad") throw new Error("broken");
        while (accountId === "endless") {
          yield {};
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    },
    { interceptors: serverInterceptors({ log, duration: atServer }) },
  );
  const { client } = opened.client(server.address, {
    interceptors: clientInterceptors({ duration: atClient }),
  });
  return { client, atServer, atClient, seen };
}

it("each call is observed once on each end, by verb-noun and outcome", async () => {
  const { client, atServer, atClient } = await observed();
  await client.getEvent({ id: "one" });
  await client.getEvent({ id: "two" });
  await expect(client.getEvent({ id: "none" })).rejects.toThrow("None.");
  const read = async (accountId: string) => {
    for await (const _ of client.streamEvents({ accountId }));
  };
  await read("good");
  await expect(read("bad")).rejects.toThrow("Internal error.");
  for await (const _ of client.streamEvents({ accountId: "endless" })) break;
  const expected = {
    "get-event OK": 2,
    "get-event NOT_FOUND": 1,
    "stream-events OK": 1,
    "stream-events INTERNAL": 1,
    "stream-events CANCELLED": 1,
  };
  await vi.waitFor(async () => expect(await counts(atServer)).toStrictEqual(expected));
  expect(await counts(atClient)).toStrictEqual(expected);
});

it("names are the verb-noun and the gRPC status", () => {
  const names = LedgerService.methods.map(verbNoun);
  expect(names).toEqual(expect.arrayContaining(["create-events", "stream-events", "verify-chain"]));
  expect(
    [undefined, Code.Canceled, Code.DeadlineExceeded].map((code) =>
      statusName(code && new ConnectError("", code)),
    ),
  ).toStrictEqual(["OK", "CANCELLED", "DEADLINE_EXCEEDED"]);
  expect(statusName(new TypeError("x"))).toBe("UNKNOWN");
});

it("a request id that is not fit for a log is none", () => {
  const header = (id: string) => new Headers({ "x-request-id": id });
  expect(requestIdOf(header("req_1.a:b-c"))).toBe("req_1.a:b-c");
  for (const id of ["", "a b", "x".repeat(129), "{}"])
    expect(requestIdOf(header(id))).toBeUndefined();
  expect(requestIdOf(new Headers())).toBeUndefined();
});

describe("without an endpoint", () => {
  it("no trace is made, and none is sent on", async () => {
    const tracing = await startTracing({ serviceName: "ledger" });
    const { client, seen } = await observed();
    await client.getEvent({});
    expect(seen).toStrictEqual([undefined]);
    await tracing.shutdown();
  });
});

describe("with an endpoint", () => {
  const bodies: Buffer[] = [];
  let tracing: Tracing;

  beforeEach(async () => {
    const collector = createServer((request, response) => {
      if (request.url !== "/v1/traces") return void response.writeHead(404).end();
      request.on("data", (chunk: Buffer) => bodies.push(chunk));
      request.on("end", () => response.end());
    }).listen(0, "127.0.0.1");
    await once(collector, "listening");
    opened.add(() => void collector.close());
    const { port } = collector.address() as AddressInfo;
    tracing = await startTracing({
      serviceName: "ledger-under-test",
      isEdge: true,
      otlpEndpoint: `http://127.0.0.1:${port}/`,
    });
  });
  afterEach(() => {
    trace.disable();
    context.disable();
    propagation.disable();
    diag.disable();
  });

  it("client, server and handler share one trace, in streams too, and the spans are exported", async () => {
    const { client, seen } = await observed();
    const parent = trace.getTracer("test").startSpan("parent");
    const { traceId } = parent.spanContext();
    await context.with(trace.setSpan(context.active(), parent), async () => {
      await client.getEvent({ id: "x" });
      for await (const _ of client.streamEvents({ accountId: "good" }));
    });
    parent.end();
    expect(seen).toStrictEqual([traceId, traceId]);
    await tracing.shutdown();
    const exported = Buffer.concat(bodies).toString("latin1");
    expect(exported).toContain("ledger-under-test");
    // Two ends of one call, each with its name as the span's name and as an attribute.
    expect(exported.split("get-event")).toHaveLength(1 + 4);
    expect(exported.split("stream-events")).toHaveLength(1 + 4);
  });

  it("a collector that is away fails nothing", async () => {
    await tracing.shutdown();
    trace.disable();
    const away = await startTracing({ serviceName: "ledger", otlpEndpoint: "http://127.0.0.1:1" });
    const { client } = await observed();
    await client.getEvent({ id: "x" });
    trace.disable();
    await expect(away.shutdown()).resolves.toBeUndefined();
  });
});
