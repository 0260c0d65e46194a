// The routes of intake: what other systems send, in their own format. `annals.intake`. Each item is stored,
// or not, for itself, so a call that succeeds may have rejected some: read its counts, or the partial
// success.

import { type CallOptions, post, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

export class Intake {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Stores an EventList of audit.k8s.io/v1. */
  async kubernetesAudit(
    body: T.KubernetesEventList,
    options?: CallOptions,
  ): Promise<T.IntakeResult> {
    const call = post("store-kubernetes-audit", "/intake/kubernetes");
    return this.#transport.data({ ...call, body }, options);
  }

  /** Stores up to 1,000 CloudEvents. */
  async cloudEvents(body: readonly T.CloudEvent[], options?: CallOptions): Promise<T.IntakeResult> {
    const mediaType = "application/cloudevents-batch+json";
    const call = { ...post("store-cloudevents", "/intake/cloudevents"), mediaType };
    return this.#transport.data({ ...call, body }, options);
  }

  /** Stores up to 1,000 log records of OpenTelemetry, in the JSON of OTLP. */
  async otlpLogs(
    body: T.ExportLogsServiceRequest,
    options?: CallOptions,
  ): Promise<T.ExportLogsServiceResponse> {
    const call = post("store-otlp-logs", "/intake/otlp/v1/logs");
    return this.#transport.json({ ...call, body }, options);
  }
}
