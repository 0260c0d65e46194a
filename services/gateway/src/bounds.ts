// What one request to each kind of route may cost at most. Read by v1.ts, whose rows each name one, by
// register-routes.ts, which takes the resource and refuses larger ones, and by docs/route-bounds.md, which
// `npm run generate` makes. What other services read or write is bounded there; a row here says how much.

import { MAX_ROLE_MAPPINGS, MAX_SEARCH_FIELDS, MAX_WORKLOADS } from "@annals/contract";
import type { WorkResource } from "./edge/requests-in-flight.ts";
import { DOWNLOAD_BYTES } from "./edge/resources.ts";

export interface Bounds {
  /** What it takes of its account's share, besides a slot; "slot": nothing. */
  readonly resource: WorkResource | "slot";
  /** Rows that it makes a service read or write; "chain": every event of the range, in turns of 4,096. */
  readonly rows: number | "chain";
  /**
   * Bytes of the response, or of what a gateway holds of it at a time. "body": of a request that repeats its
   * body, which its own limit bounds.
   */
  readonly bytes: number | "body";
  /**
   * How long work for it goes on. "deadline": until the deadline of a call between services. "verification":
   * its own timeout (limits.ts). "transfer": while the client reads at the minimum rate. "sink_test": until
   * the receiver of the sink has had its time (sinks/test-sink.ts).
   */
  readonly time: "deadline" | "verification" | "transfer" | "sink_test";
  /** Work that goes on after the response, which is counted by day and account. */
  readonly causes?: "exported events" | "replayed events" | "erasures";
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Rows of the one thing, of its audit entry, and of their windows and locks. */
const FEW_ROWS = 20;
/** Things of a page, and one more. */
const PAGE_ROWS = 101;
/** What an account may have without a plan that says more: it is counted before another one is made. */
const KEYS_ROWS = 1_000;
const WEBHOOKS_ROWS = 1_000;
const SINKS_ROWS = 10;
/** Fields of an account with those that are still taken out of the index. */
const SEARCH_FIELDS_ROWS = 64;
/** Events whose paths are listed. */
const NEWEST_ROWS = 1_000;
const SAVED_SEARCHES_ROWS = 100;
const ROLE_MAPPINGS_ROWS = MAX_ROLE_MAPPINGS;
const WORKLOADS_ROWS = MAX_WORKLOADS;
/** Idempotency keys of an account for one kind of thing: they are counted before another one is kept. */
const KEPT_KEYS_ROWS = 1_000;
const EXPORTS_ROWS = 1_000;
const WIDGET_TOKENS_ROWS = 10_000;
/** What the count of the events that an erasure selects may read. */
const ERASURE_ROWS = 5_000_000;
/** Holds that an account has placed, with those that were released. */
const HOLDS_ROWS = 10_000;
/** People that a page of them reads. */
const PEOPLE_ROWS = 1_000;
const PENDING_ROWS = 100_000;
/** Events of a range that is replayed, and those of two tries of 32 pages with the values of fields. */
const REPLAY_ROWS = 1_000;
const FIELD_PAGES_ROWS = 2 * 32 * 100;

/** Rows of a tile, and those that say how far the account is covered. */
const TILE_ROWS = 256 + 2;
/** Heads of a page. */
const HEADS = 50;

const bounds = (
  resource: Bounds["resource"],
  rows: Bounds["rows"],
  bytes: Bounds["bytes"],
  time: Bounds["time"] = "deadline",
): Bounds => ({ resource, rows, bytes, time });

/** Reads or changes one thing. */
export const ONE = bounds("slot", FEW_ROWS, 64 * KIB);
export const ONE_EVENT = bounds("slot", FEW_ROWS, 2 * MIB);
export const PAGE = bounds("lists", PAGE_ROWS, 4 * MIB);
/** The page itself has 1 MiB of events; the rest is what surrounds them, and an event that begins below. */
/**
 * A page looks at so many people, and at the mappings of the account for each who has one of its providers.
 */
export const PEOPLE_PAGE = bounds("lists", PEOPLE_ROWS * (1 + ROLE_MAPPINGS_ROWS), 4 * MIB);
export const EVENTS_PAGE = bounds("lists", 20_000, 3 * MIB);
export const WIDGET_PAGE = bounds("lists", 8_000, 2 * MIB);
/** Blocks of the filter index in 2 MiB, the segments of a chain, and events that are compared. */
export const HISTOGRAM = bounds("lists", 40_000, 512 * KIB);
export const FACETS = bounds("lists", 40_000, 256 * KIB);
export const WIDGET_HISTOGRAM = bounds("lists", 20_000, 512 * KIB);
export const WIDGET_FACETS = bounds("lists", 20_000, 256 * KIB);
export const WIDGET_FILTERS = bounds("lists", 11_000, MIB);
/** What says how far an account's log is covered, and the checkpoint, which keys may have to sign. */
export const LOG = bounds("slot", 400, 512 * KIB);
/** A partial tile is made of rows. */
export const TILE = bounds("slot", TILE_ROWS, 8 * KIB);
/** A bundle has as many entries as a tile has hashes; an action is the one text of a client in an entry. */
export const ENTRIES = bounds("lists", TILE_ROWS, MIB);
/**
 * A proof reads a few tiles of each of seven levels, a head for each halving of the epochs, and in a
 * checkpoint up to 64 signatures.
 */
export const PROOF = bounds("lists", 16 * TILE_ROWS, 512 * KIB);
/**
 * Each head has a path through the heads of its bucket, and a checkpoint of up to 64 signatures. Proofs share
 * the tiles that they read.
 */
export const HEADS_PAGE = bounds("lists", HEADS * 1_000, 8 * MIB);
export const APPEND = bounds("slot", FEW_ROWS, "body");
/** A row per event, and what one append needs besides. */
export const BATCH = bounds("slot", 1_000 + FEW_ROWS, "body");
/** Each item is an append of its own: the row of the event, and that of its idempotency key. */
export const INTAKE = bounds("slot", 2_000 + FEW_ROWS, 64 * KIB);
export const NEW_KEY = bounds("slot", KEYS_ROWS + KEPT_KEYS_ROWS + FEW_ROWS, "body");
export const NEW_ROLE_MAPPING = bounds("slot", ROLE_MAPPINGS_ROWS + FEW_ROWS, "body");
export const NEW_WORKLOAD = bounds("slot", WORKLOADS_ROWS + FEW_ROWS, "body");
export const SEARCH_FIELDS = bounds("slot", MAX_SEARCH_FIELDS + FEW_ROWS, 64 * KIB);
export const SEARCH_PATHS = bounds("lists", NEWEST_ROWS + FEW_ROWS, 64 * KIB);
export const NEW_SEARCH_FIELD = bounds("slot", SEARCH_FIELDS_ROWS + FEW_ROWS, "body");
/** The fields that filters name are found, and counted in the account's other webhooks. */
const FILTER_ROWS = MAX_SEARCH_FIELDS;
export const NEW_WEBHOOK = bounds(
  "slot",
  2 * WEBHOOKS_ROWS + KEPT_KEYS_ROWS + FILTER_ROWS + FEW_ROWS,
  "body",
);
export const CHANGED_WEBHOOK = bounds("slot", WEBHOOKS_ROWS + FILTER_ROWS + FEW_ROWS, "body");
export const CHANGED_SINK = bounds("slot", FILTER_ROWS + FEW_ROWS, "body");
/** Each has at most 4 KiB, and its paths of fields again. */
export const SEARCHES = bounds("slot", SAVED_SEARCHES_ROWS + FEW_ROWS, MIB);
export const NEW_SEARCH = bounds(
  "slot",
  SAVED_SEARCHES_ROWS + FILTER_ROWS + KEPT_KEYS_ROWS + FEW_ROWS,
  "body",
);
export const SEARCH_PATCH = bounds("slot", FILTER_ROWS + FEW_ROWS, "body");
export const NEW_SINK: Bounds = {
  ...bounds("slot", SINKS_ROWS + KEPT_KEYS_ROWS + FILTER_ROWS + FEW_ROWS, "body"),
  causes: "replayed events",
};
export const NEW_WIDGET_TOKEN = bounds("slot", WIDGET_TOKENS_ROWS + FEW_ROWS, "body");
export const NEW_EXPORT: Bounds = {
  ...bounds("slot", EXPORTS_ROWS + FEW_ROWS, "body"),
  causes: "exported events",
};
/** Events that the index has of a selector: they are counted before the request is stored. */
export const NEW_ERASURE: Bounds = {
  ...bounds("lists", ERASURE_ROWS + FEW_ROWS, "body"),
  causes: "erasures",
};
/** They are counted twice: before the lock of the chain, and under it. */
export const NEW_HOLD = bounds("slot", 2 * (HOLDS_ROWS + KEPT_KEYS_ROWS) + FEW_ROWS, "body");
export const CHANGE = bounds("slot", FEW_ROWS, "body");
export const TEST_DELIVERY = bounds("slot", PENDING_ROWS + FEW_ROWS, 64 * KIB);
/** It waits for a turn, and then for the receiver of the sink. */
export const SINK_TEST = bounds("slot", FEW_ROWS, 64 * KIB, "sink_test");
export const REPLAY: Bounds = {
  ...bounds("lists", PENDING_ROWS + FEW_ROWS, 64 * KIB),
  causes: "replayed events",
};
export const REPLAY_RANGE: Bounds = {
  ...bounds("lists", PENDING_ROWS + REPLAY_ROWS + FIELD_PAGES_ROWS + FEW_ROWS, "body"),
  causes: "replayed events",
};
/** Sets a cursor. The sink then reads its chain from there on. */
export const REPLAY_SINK: Bounds = { ...CHANGE, causes: "replayed events" };
export const USAGE = bounds(
  "slot",
  KEYS_ROWS +
    WEBHOOKS_ROWS +
    SINKS_ROWS +
    EXPORTS_ROWS +
    WIDGET_TOKENS_ROWS +
    PENDING_ROWS +
    FEW_ROWS,
  64 * KIB,
);
export const VERIFICATION = bounds("verifications", "chain", 64 * KIB, "verification");
export const DOWNLOAD = bounds("downloads", FEW_ROWS, DOWNLOAD_BYTES, "transfer");
