// Guarantee: a batch of Event Hubs counts as received by status 201 alone, the records of an account are in
// one partition in their order, and what is refused is said without the key or a token. The server follows
// the pages "Send batch events" and "Generate SAS token": it checks signature, expiry, content type and size.

import type { SinkConfigs } from "@annals/interface";
import type { Received } from "@annals/testing";
import { createHash, createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { newSubscriber } from "../../../testing/receivers.ts";
import {
  ACCOUNT,
  newReceiver,
  sendBatch,
  sinkRecord,
  sinkRecords,
  streamLine,
} from "../../../testing/sink-receivers.ts";

const RECORDS = sinkRecords(1, 3);
const KEY = "c2VjcmV0/2V5+w==";
const HUB = "audit-events-of-acme";
const KEY_NAME = "send";
const PATH = `/${HUB}/messages?timeout=60&api-version=2014-01`;
const TOKEN = /^SharedAccessSignature sr=([^&]+)&sig=([A-Za-z0-9%]+)&se=(\d+)&skn=([^&]+)$/;
const NOW_S = 1_795_787_627;
const LIFE_S = 900;
const BASIC = 256 * 1024;
const PARTITIONS = 4;

interface Message {
  readonly Body: string;
  readonly BrokerProperties: { readonly PartitionKey: string };
  readonly UserProperties: Readonly<Record<string, string>>;
}

const clock = {
  nowMicros: () => NOW_S * 1_000_000 + 999_999,
  nowText: () => "2026-11-27T13:53:47.999999Z",
};

/** A namespace with one event hub, which has one key. */
async function start(more: Partial<SinkConfigs["azure_event_hubs"]> = {}) {
  const subscriber = await newSubscriber();
  const origin = subscriber.url("").replace(/\/$/, "");
  const namespace = {
    nowS: NOW_S,
    maxBytes: 1024 * 1024,
    tooLarge: 413,
    partitions: Array.from({ length: PARTITIONS }, (): Message[] => []),
    store: (messages: readonly Message[]) => {
      for (const message of messages) {
        const { PartitionKey } = message.BrokerProperties;
        const [of = 0] = createHash("sha256").update(PartitionKey).digest();
        namespace.partitions[of % PARTITIONS]?.push(message);
      }
    },
  };
  const reasonOf = ({ body, headers, path }: Received): readonly [number, string] | undefined => {
    const [, sr = "", sig = "", se = "", skn = ""] = TOKEN.exec(headers.authorization ?? "") ?? [];
    const right = createHmac("sha256", KEY).update(`${sr}\n${se}`).digest("base64");
    if (skn !== KEY_NAME || decodeURIComponent(sig) !== right) return [401, "InvalidSignature"];
    if (Number(se) <= namespace.nowS) return [401, "ExpiredToken"];
    if (!`${origin}${path}`.startsWith(`${decodeURIComponent(sr)}/`))
      return [401, "InvalidAudience"];
    if (path !== PATH) return [404, "The messaging entity could not be found."];
    if (headers["content-type"] !== "application/vnd.microsoft.servicebus.json")
      return [400, "The content type is not supported."];
    if (body.length > namespace.maxBytes) return [namespace.tooLarge, "The batch is too large."];
    return undefined;
  };
  const answer = (response: ServerResponse, request: Received): void => {
    const [code, detail] = reasonOf(request) ?? [];
    if (code !== undefined) {
      const text = `<Error><Code>${code}</Code><Detail>${detail}</Detail></Error>`;
      response.writeHead(code, { "content-type": "application/xml" }).end(text);
      return;
    }
    namespace.store(request.json);
    response.writeHead(201).end();
  };
  subscriber.answer = answer;
  const config: SinkConfigs["azure_event_hubs"] = {
    type: "azure_event_hubs",
    url: origin,
    event_hub: HUB,
    shared_access_key_name: KEY_NAME,
    shared_access_key: KEY,
    ...more,
  };
  const receiver = newReceiver(config, { clock });
  return { answer, namespace, receiver, subscriber };
}

const said = (status: number, detail: string) =>
  `The receiver responded with status ${status}: <Error><Code>${status}</Code><Detail>${detail}</Detail></Error>`;

describe("a batch", () => {
  test("has each record as text, with its id and with the account as the key of its partition", async () => {
    const { receiver, subscriber } = await start();
    const records = [...RECORDS, streamLine()];
    expect(await sendBatch(receiver, records)).toMatchObject({
      outcome: "accepted",
      statusCode: 201,
    });
    expect(subscriber.received.map(({ path }) => path)).toEqual([PATH]);
    expect(subscriber.received[0]?.json).toStrictEqual(
      records.map(({ id, json }) => ({
        Body: json,
        BrokerProperties: { PartitionKey: ACCOUNT },
        UserProperties: { id },
      })),
    );
  });

  test("is in the partition of those before it, in order, and other accounts have their own", async () => {
    const { namespace, receiver } = await start();
    for (let from = 1; from < 30; from += 3) {
      await sendBatch(receiver, sinkRecords(from, from + 2));
      await sendBatch(receiver, [sinkRecord(from)], { accountId: `acct_of_${from}` });
    }
    const bodies = namespace.partitions.map((partition) =>
      partition
        .filter(({ BrokerProperties }) => BrokerProperties.PartitionKey === ACCOUNT)
        .map(({ Body }) => Body),
    );
    expect(bodies.filter((one) => one.length > 0)).toEqual([
      sinkRecords(1, 30).map(({ json }) => json),
    ]);
    expect(namespace.partitions.filter((one) => one.length > 0).length).toBeGreaterThan(1);
  });

  test("that was stored without an answer comes again with the same ids", async () => {
    const { answer, namespace, receiver, subscriber } = await start();
    subscriber.answer = (response, request, count) => {
      if (count > 0) return answer(response, request);
      namespace.store(request.json);
      response.writeHead(500).end();
    };
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({ outcome: "refused" });
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({ outcome: "accepted" });
    const ids = namespace.partitions.flat().map(({ UserProperties }) => UserProperties["id"]);
    expect(ids).toHaveLength(6);
    expect([...new Set(ids)]).toEqual(RECORDS.map(({ id }) => id));
  });

  test("counts as received by status 201 alone", async () => {
    const { receiver, subscriber } = await start();
    subscriber.answer = (response) => void response.writeHead(200).end("{}");
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "invalid_response",
      error: "The response does not say whether the records are stored.",
    });
  });
});

describe("a token", () => {
  test.each([
    [LIFE_S - 1, "accepted", undefined],
    [LIFE_S, "refused", said(401, "ExpiredToken")],
  ])("that is %i s old: %s", async (age, outcome, error) => {
    const { namespace, receiver } = await start();
    namespace.nowS = NOW_S + age;
    const result = await sendBatch(receiver, RECORDS);
    expect([result.outcome, result.error]).toEqual([outcome, error]);
  });

  test("is for one event hub", async () => {
    const { receiver, subscriber } = await start();
    await sendBatch(receiver, RECORDS);
    const [, resource = ""] = TOKEN.exec(subscriber.received[0]?.headers.authorization ?? "") ?? [];
    expect(decodeURIComponent(resource)).toBe(subscriber.url(HUB));
  });
});

describe("a failure", () => {
  test.each([
    ["another key", { shared_access_key: "b3RoZXI=" }, 401, "InvalidSignature"],
    ["another name", { shared_access_key_name: "root" }, 401, "InvalidSignature"],
    ["another hub", { event_hub: "a" }, 404, "The messaging entity could not be found."],
  ])("by %s is said, and is of no event", async (_name, config, status, detail) => {
    const { receiver } = await start(config);
    const { ms: _, ...result } = await sendBatch(receiver, RECORDS);
    const error = said(status, detail);
    expect(result).toEqual({ outcome: "refused", statusCode: status, error });
  });

  test.each([429, 503])("with status %i waits as long as Event Hubs asks", async (status) => {
    const { receiver, subscriber } = await start();
    subscriber.answer = (response) =>
      void response.writeHead(status, { "retry-after": "7" }).end("ServerBusy, SubCode 50002");
    const { ms: _, ...result } = await sendBatch(receiver, RECORDS);
    expect(result).toEqual({
      outcome: "refused",
      statusCode: status,
      error: `The receiver responded with status ${status}: ServerBusy, SubCode 50002`,
      retryAfterS: 7,
    });
  });

  test("is shown with the name of the hub, without the key, the token and the signature", async () => {
    const { receiver, subscriber } = await start();
    subscriber.answer = (response, { headers: { authorization = "" } }) => {
      const [, , sig = ""] = TOKEN.exec(authorization) ?? [];
      const parts = [
        authorization,
        sig,
        decodeURIComponent(sig),
        KEY,
        encodeURIComponent(KEY),
        HUB,
      ];
      response.writeHead(401).end(parts.join(" "));
    };
    expect((await sendBatch(receiver, RECORDS)).error).toBe(
      `The receiver responded with status 401: ${"[removed] ".repeat(5)}${HUB}`,
    );
  });
});

describe("a batch that is too large", () => {
  /** Two records whose request has so many bytes; or one. */
  const ofBytes = async (bytes: number, count = 2) => {
    const { receiver, subscriber } = await start();
    const padded = (padding: number) =>
      sinkRecords(1, count - 1).concat(sinkRecord(count, { json: `"${"x".repeat(padding)}"` }));
    await sendBatch(receiver, padded(0));
    return padded(bytes - (subscriber.received[0]?.body.length ?? 0));
  };
  const refusalOf = async (status: number, bytes: number, count?: number) => {
    const { namespace, receiver, subscriber } = await start();
    Object.assign(namespace, { maxBytes: 1_000, tooLarge: status });
    const result = await sendBatch(receiver, await ofBytes(bytes, count));
    expect(subscriber.received[0]?.body.length).toBe(bytes);
    expect(result).toMatchObject({ outcome: "refused", statusCode: status });
    return result.refusal;
  };

  test("is refused for its size, and one of that size is taken", async () => {
    const { namespace, receiver } = await start();
    namespace.maxBytes = BASIC;
    expect(await sendBatch(receiver, await ofBytes(BASIC))).toMatchObject({ outcome: "accepted" });
    expect(await sendBatch(receiver, await ofBytes(BASIC + 1))).toMatchObject({
      outcome: "refused",
      error: said(413, "The batch is too large."),
      refusal: { kind: "size", status: 413, reason: said(413, "The batch is too large.") },
    });
  });

  test.each([400, 403])("for a tier is smaller the next time, also after %i", async (status) => {
    expect(await refusalOf(status, BASIC + 1)).toMatchObject({ kind: "size", status });
  });

  test("for no tier is another failure", async () => {
    expect(await refusalOf(403, BASIC)).toBeUndefined();
    expect(await refusalOf(400, BASIC)).toMatchObject({ kind: "record" });
  });

  test("and has a single event: that event is named, but not after 403, which is of the key", async () => {
    expect(await refusalOf(403, BASIC + 1, 1)).toBeUndefined();
    expect(await refusalOf(400, BASIC + 1, 1)).toMatchObject({ kind: "record" });
    expect(await refusalOf(413, BASIC + 1, 1)).toMatchObject({ kind: "size" });
  });
});
