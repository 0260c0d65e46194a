// Sends batches to the HTTP event collector of Splunk (docs/sinks.md). Called by open-receiver.ts. With
// `ack`, a batch is accepted when the indexer acknowledges it, and only then: status 200 says that it was
// read.
//
// An indexer may take longer than the deadline. The batch is then sent again; but first its acknowledgement
// is asked for once more, or a slow indexer would get the same batch again and again.

import type { SinkConfigs } from "@annals/interface";
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { AttemptResult } from "../../../outbound/exchange.ts";
import { CollectedBatch } from "../../receiver/collected-batch.ts";
import { epochSeconds } from "../../receiver/record-time.ts";
import { type Deadline, type SinkDeps, SinkHttp } from "../../receiver/sink-http.ts";
import type { SinkRecord } from "../../rules/sink-record.ts";
import type { SinkReceiver, SinkResult } from "../../receiver/sink-receiver.ts";

/**
 * Codes of the collector for an event that it refuses: no data, invalid data, no event, a blank one, invalid
 * fields. Others are those of the token, the index or the channel.
 */
const EVENT_CODES: ReadonlySet<number> = new Set([5, 6, 12, 13, 15]);

const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 2_000;

/** A batch that the collector has read, and whose acknowledgement did not come in time. */
interface Unacknowledged {
  readonly accountId: string;
  readonly ids: readonly string[];
  readonly ackId: number;
}

export function splunkHecReceiver(config: SinkConfigs["splunk_hec"], deps: SinkDeps): SinkReceiver {
  const collector = new Collector(config, deps);
  return {
    open: ({ accountId }) =>
      new CollectedBatch(deps.log, (records, signal) =>
        collector.deliver(accountId, records, signal),
      ),
    close: () => collector.close(),
  };
}

class Collector {
  readonly #config: SinkConfigs["splunk_hec"];
  readonly #http: SinkHttp;
  readonly #url: URL;
  readonly #ackUrl: URL;
  /** One per receiver: acknowledgements are numbered within a channel. */
  readonly #channel = randomUUID();
  #unacknowledged: Unacknowledged | undefined;

  constructor(config: SinkConfigs["splunk_hec"], deps: SinkDeps) {
    this.#config = config;
    const base = config.url.endsWith("/") ? config.url : `${config.url}/`;
    this.#url = new URL("services/collector/event", base);
    this.#ackUrl = new URL("services/collector/ack", base);
    this.#http = new SinkHttp(deps, this.#url, { authorization: `Splunk ${config.token}` });
  }

  async deliver(
    accountId: string,
    records: readonly SinkRecord[],
    signal: AbortSignal,
  ): Promise<SinkResult> {
    const deadline = this.#http.deadline(signal);
    if (await this.#isAcknowledged(accountId, records, deadline)) return { outcome: "accepted" };
    const attempt = await this.#post(accountId, this.#url, this.#bodyOf(records), deadline);
    const { outcome, response, statusCode } = attempt;
    if (outcome !== "success") return this.#failure(attempt);
    const status = statusCode === null ? {} : { statusCode };
    if (!this.#config.ack) return { outcome: "accepted", ...status };
    const ackId = numberIn(response?.body, "ackId");
    if (ackId === undefined) {
      return this.#http.refused(
        statusCode,
        "The response has no ackId: acknowledgement is not enabled for this token",
      );
    }
    this.#unacknowledged = { accountId, ids: records.map(({ id }) => id), ackId };
    return this.#waitFor(accountId, ackId, deadline);
  }

  close(): void {
    this.#http.close();
  }

  /**
   * An error of an event names its place in the batch; others with the same status are of the configuration.
   */
  #failure(attempt: AttemptResult): SinkResult {
    const { refusal, ...failure } = this.#http.failure(attempt);
    const code = numberIn(attempt.response?.body, "code");
    const isOfConfig = refusal?.kind === "record" && code !== undefined && !EVENT_CODES.has(code);
    if (refusal === undefined || isOfConfig) return failure;
    const index = numberIn(attempt.response?.body, "invalid-event-number");
    return { ...failure, refusal: { ...refusal, ...(index !== undefined && { index }) } };
  }

  /** Whether the same batch was read before, and is acknowledged by now. */
  async #isAcknowledged(
    accountId: string,
    records: readonly SinkRecord[],
    deadline: Deadline,
  ): Promise<boolean> {
    const before = this.#unacknowledged;
    this.#unacknowledged = undefined;
    if (before?.accountId !== accountId || before.ids.length !== records.length) return false;
    if (!records.every(({ id }, n) => id === before.ids[n])) return false;
    const asked = await this.#ask(accountId, before.ackId, deadline);
    return asked === "acknowledged";
  }

  async #waitFor(accountId: string, ackId: number, deadline: Deadline): Promise<SinkResult> {
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_POLL_MS)) {
      const asked = await this.#ask(accountId, ackId, deadline);
      if (asked === "acknowledged") {
        this.#unacknowledged = undefined;
        return { outcome: "accepted" };
      }
      if (asked !== "not yet" && asked.outcome !== "timeout") return asked;
      const leftMs = deadline.until - performance.now();
      if (leftMs <= 0) break;
      const { signal } = deadline;
      await wait(Math.min(pauseMs, leftMs), undefined, { signal }).catch(() => {});
      if (signal.aborted) return { outcome: "abandoned" };
    }
    const error = "The indexer did not acknowledge the batch in time.";
    return { outcome: "timeout", error };
  }

  async #ask(
    accountId: string,
    ackId: number,
    deadline: Deadline,
  ): Promise<"acknowledged" | "not yet" | SinkResult> {
    const body = JSON.stringify({ acks: [ackId] });
    const attempt = await this.#post(accountId, this.#ackUrl, body, deadline);
    if (attempt.outcome !== "success") return this.#http.failure(attempt);
    const acks = membersOf(attempt.response?.body)?.["acks"];
    const isTrue = typeof acks === "object" && acks !== null && Reflect.get(acks, ackId) === true;
    return isTrue ? "acknowledged" : "not yet";
  }

  #post(accountId: string, url: URL, body: string, deadline: Deadline) {
    const headers = {
      "content-type": "application/json",
      ...(this.#config.ack && { "x-splunk-request-channel": this.#channel }),
    };
    return this.#http.request({ accountId, url, headers, body: Buffer.from(body) }, deadline);
  }

  #bodyOf(records: readonly SinkRecord[]): string {
    const { index } = this.#config;
    const more = index === undefined ? "" : `,"index":${JSON.stringify(index)}`;
    return records
      .map(({ json, occurredAt }) => {
        const time = epochSeconds(occurredAt);
        return `{"time":${time},"source":"annals","sourcetype":"annals:event"${more},"event":${json}}\n`;
      })
      .join("");
  }
}

function membersOf(body: Buffer | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body?.toString("utf8") ?? "");
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function numberIn(body: Buffer | undefined, name: string): number | undefined {
  const value = membersOf(body)?.[name];
  return typeof value === "number" ? value : undefined;
}
