// Asks the widget's routes. Used by the element. It must never put the token anywhere but into the
// Authorization header, nor send a cookie.

import type { ProvableEvent } from "@annals/proof";
import type { AuditEvent, EventFilter, WidgetToken } from "./types.ts";

/** An event with the proof that came with it. */
export type ProvenEvent = AuditEvent & Pick<ProvableEvent, "proof">;

export interface Choices {
  readonly actions: readonly string[];
  readonly actor_types: readonly string[];
  readonly target_types: readonly string[];
}

export interface Covered {
  readonly sequence_number: number;
  /** ISO 8601: when the epoch was closed. */
  readonly time: string;
  readonly witness_count: number;
}

export interface WidgetLog {
  /** Null if the service keeps no log. */
  readonly log_origin: string | null;
  readonly covered: Covered | null;
}

export interface EventPage {
  /** A page may be short, even empty, if the server has searched long enough. */
  readonly events: ProvenEvent[];
  /** The cursor of the next page, with the same query; undefined on the last one. */
  readonly next: string | undefined;
}

export type Interval = "1m" | "5m" | "15m" | "1h" | "1d" | "1w";

/** Counts over time, the oldest first; intervals without an event are absent. */
export interface Histogram {
  readonly data: readonly { readonly time: string; readonly count: number }[];
  readonly total: number;
  readonly interval: Interval;
  /** False if older events are not counted: the cursor counts on. */
  readonly complete: boolean;
  readonly next_cursor: string | null;
}

/** The most frequent values of a field. */
export interface Facet {
  readonly field: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  readonly other: number;
  /** False if only the newest events are counted. */
  readonly exact: boolean;
  readonly counted: { readonly events: number };
}

export interface PageQuery extends EventFilter {
  readonly limit: number;
  readonly order?: "asc";
  readonly before_sequence?: number;
  readonly after_sequence?: number;
  readonly cursor?: string | undefined;
}

export interface Access {
  /** The token to use now. */
  readonly token: () => Promise<string>;
  /** Returns a token in place of one that was refused, or undefined if the page has no other. */
  readonly renew: (refused: string) => Promise<string | undefined>;
}

/** Why a request failed. `status` is 0 if there was no response. */
export class RequestError extends Error {
  readonly status: number;
  readonly requestId: string;
  readonly retryAfterSeconds: number;
  constructor(status: number, message: string, headers = new Headers()) {
    super(message);
    this.status = status;
    this.requestId = headers.get("x-request-id") ?? "";
    this.retryAfterSeconds = Math.max(1, Number(headers.get("retry-after") ?? 0) || 1);
  }
}

export class WidgetClient {
  readonly #server: string;
  readonly #access: Access;
  readonly #signal: AbortSignal;

  constructor(server: string, access: Access, signal: AbortSignal) {
    this.#server = server.replace(/\/+$/, "");
    this.#access = access;
    this.#signal = signal;
  }

  async list(query: PageQuery): Promise<EventPage> {
    const { data, proofs, next_cursor } = await this.#get<{
      data: ProvenEvent[];
      proofs?: ProvenEvent["proof"][];
      next_cursor: string | null;
    }>(`events?${parametersOf(query)}`);
    return {
      events: data.map((event, at) => ({ ...event, proof: proofs?.[at] ?? event.proof })),
      next: next_cursor ?? undefined,
    };
  }

  async event(id: string): Promise<ProvenEvent> {
    const { data, proof } = await this.#get<{ data: ProvenEvent; proof: ProvenEvent["proof"] }>(
      `events/${encodeURIComponent(id)}`,
    );
    return { ...data, proof };
  }

  /** The id of the oldest event that matches; undefined if no event matches, or if the request fails. */
  async firstId(filter: EventFilter): Promise<string | undefined> {
    const query = { ...filter, order: "asc", limit: 1 } as const;
    const page = await this.list(query).catch(() => undefined);
    return page?.events[0]?.id;
  }

  histogram(query: object): Promise<Histogram> {
    return this.#get(`events/histogram?${parametersOf(query)}`);
  }

  async facets(query: object): Promise<readonly Facet[]> {
    return (await this.#get<{ data: Facet[] }>(`events/facets?${parametersOf(query)}`)).data;
  }

  async choices(): Promise<Choices> {
    return (await this.#get<{ data: Choices }>("filters")).data;
  }

  async log(): Promise<WidgetLog> {
    return (await this.#get<{ data: WidgetLog }>("log")).data;
  }

  /** The address of one event, for people. */
  addressOf(id: string): string {
    const base = new URL(this.#server || ".", document.baseURI).href.replace(/\/+$/, "");
    return `${this.#server === "" ? location.origin : base}/v1/widget/events/${encodeURIComponent(id)}`;
  }

  async #get<Body>(path: string): Promise<Body> {
    const token = await this.#access.token();
    const response = await this.#send(path, token);
    if (response.status !== 401) return bodyOf(response);
    const renewed = await this.#access.renew(token);
    return bodyOf(renewed === undefined ? response : await this.#send(path, renewed));
  }

  async #send(path: string, token: string): Promise<Response> {
    try {
      return await fetch(`${this.#server}/v1/widget/${path}`, {
        headers: { authorization: `Bearer ${token}` },
        credentials: "omit",
        cache: "no-store",
        redirect: "error",
        referrerPolicy: "no-referrer",
        signal: this.#signal,
      });
    } catch (error) {
      if (this.#signal.aborted) throw error;
      throw new RequestError(0, String(error));
    }
  }
}

type Value = string | number | undefined;

/** A value that is a list becomes a parameter for each of its items. */
function parametersOf(query: object): string {
  const parameters = new URLSearchParams();
  const given: [string, Value | readonly Value[]][] = Object.entries(query);
  for (const [name, value] of given)
    for (const one of [value].flat())
      if (one !== undefined && one !== "") parameters.append(name, String(one));
  // A space as `+` would be read as a plus sign, too.
  return String(parameters).replaceAll("+", "%20");
}

async function bodyOf<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Body;
  throw new RequestError(response.status, messageOf(text), response.headers);
}

function messageOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : "";
  } catch {
    return "";
  }
}

/** What a provider may give. */
export function tokenOf(given: WidgetToken | string): WidgetToken {
  return typeof given === "string" ? { token: given } : given;
}
