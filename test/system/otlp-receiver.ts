// A collector of traces for tests: takes OTLP over HTTP as JSON, and keeps every span. Called by the flow of
// traces.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isFailed: boolean;
  readonly traceState: string;
}

/** By the numbers of OTLP. */
const KINDS = ["", "internal", "server", "client", "producer", "consumer"];
const STATUS_ERROR = 2;

// oxlint-disable-next-line typescript/no-explicit-any -- as OTLP has it
type Json = any;

export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Of each request: its path, headers and body. */
  readonly requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  readonly resources: Record<string, unknown>[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        this.requests.push({ path: request.url ?? "", headers: request.headers, body });
        this.#take(JSON.parse(body));
        response.setHeader("content-type", "application/json").end("{}");
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new OtlpReceiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  ofTrace(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /**
   * One line for each span below a parent, indented. Spans of one name are one, with what all of them have
   * below; by their names, because processes have clocks of their own.
   */
  tree(traceId: string, parentSpanIds: readonly string[], depth = 0): string[] {
    const below = this.ofTrace(traceId).filter((span) => parentSpanIds.includes(span.parentSpanId));
    const byName = Map.groupBy(below, ({ name, service }) => `${service}: ${name}`);
    return [...byName.keys()].toSorted().flatMap((name) => {
      const ids = (byName.get(name) ?? []).map(({ spanId }) => spanId);
      return [`${"  ".repeat(depth)}${name}`, ...this.tree(traceId, ids, depth + 1)];
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #take({ resourceSpans }: Json): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const of = attributesOf(resource.attributes);
      this.resources.push(of);
      const service = String(of["service.name"]).replace("annals-", "");
      for (const span of scopeSpans.flatMap((scope: Json) => scope.spans)) {
        this.spans.push(spanOf(service, span));
      }
    }
  }
}

function spanOf(service: string, span: Json): ReceivedSpan {
  return {
    service,
    name: span.name,
    kind: KINDS[span.kind] ?? "",
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? "",
    attributes: attributesOf(span.attributes),
    links: span.links ?? [],
    isFailed: span.status?.code === STATUS_ERROR,
    traceState: span.traceState ?? "",
  };
}

function attributesOf(list: Json[] = []): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
}
