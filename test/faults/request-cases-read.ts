// Cases of request-cases.ts that read: lists, single things, the widget and the log.

import { newToken } from "../system/widget-client.ts";
import { untilCovered } from "../system/covered.ts";
import { type CostCase, type CostWorld, made, type Send } from "./request-world.ts";
import { NO_EVENT, NO_TIME, NOTHING, OF_ACTOR } from "./searched-chain.ts";

const PARTS = ["actor.meta", "target.meta", "context", "diff", "metadata"];
const UNKNOWN = "00000000000000000000000000";

type Whose = "fresh" | "large" | "searched" | "worked";

/** A GET of one account. */
const get =
  (whose: Whose, path: string) =>
  (world: CostWorld): Send =>
  () =>
    world[whose].get(`/v1${path}`);

/** A GET of a widget token, each with a window of its own. */
const widget =
  (whose: Whose, path: string, token: object = { parts: PARTS }) =>
  async (world: CostWorld): Promise<Send> => {
    const { widget: client } = await newToken(world[whose], token);
    return () => client.get(`/v1/widget${path}`);
  };

const firstEventOf = async ({ worked }: CostWorld): Promise<string> =>
  (await made(worked.get("/v1/events?limit=1"), 200))[0].id;

const NONE = { filter: NOTHING, parts: PARTS };
const LIST = "/events?limit=100";
const W = { maxMs: 50 };
const SMALL = { maxMs: 40 };

export const READ_CASES: readonly CostCase[] = [
  {
    ...W,
    route: "GET /widget/events",
    what: "widget list of an actor by time, none found",
    isEmpty: true,
    make: widget("searched", `${LIST}&${NO_TIME}`, { filter: OF_ACTOR, parts: PARTS }),
  },
  {
    ...W,
    route: "GET /widget/events",
    what: "widget list by time, none found",
    isEmpty: true,
    make: widget("searched", `${LIST}&${NO_TIME}`),
  },
  {
    ...W,
    route: "GET /widget/events",
    what: "widget list of 100 events of 64 KB",
    make: widget("large", LIST),
  },
  {
    ...W,
    route: "GET /widget/events",
    what: "widget list of 100 small events",
    make: widget("searched", LIST),
  },
  {
    ...W,
    route: "GET /widget/filters",
    what: "widget filters",
    make: widget("searched", "/filters"),
  },
  {
    ...W,
    route: "GET /widget/filters",
    what: "widget filters, nothing found",
    make: widget("searched", "/filters", NONE),
  },
  { ...W, route: "GET /widget/log", what: "widget log", make: widget("searched", "/log") },
  {
    ...W,
    route: "GET /widget/events/:id",
    what: "widget event",
    make: async (world) => {
      const id = await firstEventOf(world);
      return widget("worked", `/events/${id}`)(world);
    },
  },
  {
    maxMs: 100,
    route: "GET /events",
    what: "list of an actor by time, none found",
    isEmpty: true,
    make: get("searched", `${LIST}&${NO_EVENT}`),
  },
  {
    maxMs: 100,
    route: "GET /events",
    what: "list by time, none found",
    isEmpty: true,
    make: get("searched", `${LIST}&${NO_TIME}`),
  },
  {
    maxMs: 100,
    route: "GET /events",
    what: "list of 100 events of 64 KB, with proofs",
    make: get("large", `${LIST}&include=proof`),
  },
  {
    maxMs: 60,
    route: "GET /events",
    what: "list of 100 small events",
    make: get("searched", LIST),
  },
  {
    maxMs: 60,
    route: "GET /events",
    what: "list by an actor of all events",
    make: get("searched", `${LIST}&actor_id=u_1`),
  },
  {
    ...SMALL,
    route: "GET /events/:id",
    what: "event of 64 KB, with its proof",
    make: async ({ large }) => {
      const [{ id }] = await made(large.get("/v1/events?limit=1"), 200);
      return () => large.get(`/v1/events/${id}?include=proof`);
    },
  },
  { maxMs: 60, route: "GET /usage", what: "usage", make: get("searched", "/usage") },
  {
    ...SMALL,
    route: "GET /exports",
    what: "list of exports",
    make: get("worked", "/exports?limit=100"),
  },
  {
    ...SMALL,
    route: "GET /exports/:id",
    what: "export that is not there",
    status: 404,
    make: get("worked", `/exports/exp_${UNKNOWN}`),
  },
  { ...SMALL, route: "GET /webhooks", what: "list of webhooks", make: get("worked", "/webhooks") },
  { ...SMALL, route: "GET /api-keys", what: "list of API keys", make: get("worked", "/api-keys") },
  {
    ...SMALL,
    route: "GET /widget-tokens",
    what: "list of widget tokens",
    make: get("searched", "/widget-tokens?limit=100"),
  },
  { ...SMALL, route: "GET /sinks", what: "list of sinks", make: get("worked", "/sinks") },
  {
    ...SMALL,
    route: "GET /erasures",
    what: "list of erasures",
    make: get("worked", "/erasures?limit=100"),
  },
  {
    ...SMALL,
    route: "GET /erasures/:id",
    what: "erasure that is not there",
    status: 404,
    make: get("worked", `/erasures/era_${UNKNOWN}`),
  },
  { ...SMALL, route: "GET /holds", what: "list of holds", make: get("worked", "/holds?limit=100") },
  { ...SMALL, route: "GET /retention", what: "retention", make: get("worked", "/retention") },
  {
    ...SMALL,
    route: "GET /role-mappings",
    what: "list of role mappings",
    make: get("worked", "/role-mappings?limit=100"),
  },
  {
    ...SMALL,
    route: "GET /workloads",
    what: "list of workloads",
    make: get("worked", "/workloads?limit=100"),
  },
  {
    ...SMALL,
    route: "GET /people",
    what: "list of people",
    make: get("worked", "/people?limit=100"),
  },
  {
    ...SMALL,
    route: "GET /archives",
    what: "list of archives",
    make: get("worked", "/archives?limit=100"),
  },
  // The content of an archive is streamed as that of an export, which is measured.
  {
    ...SMALL,
    route: "GET /archives/:id/events",
    what: "archive that is not there",
    status: 404,
    make: get("worked", `/archives/arc_${UNKNOWN}/events`),
  },
  {
    ...SMALL,
    route: "GET /archives/:id/evidence",
    what: "evidence of an archive that is not there",
    status: 404,
    make: get("worked", `/archives/arc_${UNKNOWN}/evidence`),
  },
  // A ledger reads some 10 µs of CPU for each event, in turns.
  {
    maxMs: 9_000,
    route: "GET /verify",
    what: "verification of the chain",
    calls: 2,
    make: get("searched", "/verify"),
  },
];

/** A GET of the log of the long chain, which is covered. */
const log =
  (path: (events: number) => string) =>
  async ({ events, searched }: CostWorld): Promise<Send> => {
    await untilCovered(searched, events);
    return () => searched.get(`/v1/log${path(events)}`);
  };

const publicGet =
  (path: string) =>
  async ({ searched, worked }: CostWorld): Promise<Send> => {
    await untilCovered(worked, 1);
    return () => searched.as(undefined).get(path);
  };

export const LOG_CASES: readonly CostCase[] = [
  { maxMs: 60, route: "GET /log", what: "log of the account", make: log(() => "") },
  {
    maxMs: 120,
    route: "GET /log/checkpoint",
    what: "checkpoint of the account",
    make: log(() => "/checkpoint"),
  },
  {
    maxMs: 120,
    route: "GET /log/tile/entries/*",
    what: "entries of the log",
    make: log(() => "/tile/entries/000"),
  },
  {
    maxMs: 60,
    route: "GET /log/tile/:level/*",
    what: "tile of the log",
    make: log(() => "/tile/0/000"),
  },
  {
    maxMs: 120,
    route: "GET /log/inclusion",
    what: "proof of inclusion",
    make: log((events) => `/inclusion?sequence_number=${Math.floor(events / 3)}`),
  },
  {
    maxMs: 120,
    route: "GET /log/consistency",
    what: "proof of consistency",
    make: log((events) => `/consistency?from=${Math.floor(events / 3)}`),
  },
  {
    maxMs: 900,
    route: "GET /log/heads",
    what: "heads of the account",
    calls: 5,
    make: log(() => "/heads?limit=50"),
  },
  // Not below /v1: 20 a second of an address, and 200 at once.
  {
    maxMs: 40,
    route: "GET /log/checkpoint (public)",
    what: "public checkpoint of the head log",
    make: publicGet("/log/checkpoint"),
  },
  {
    maxMs: 40,
    route: "GET /log/tile (public)",
    what: "public partial tile of the head log",
    make: publicGet("/log/tile/0/000.p/1"),
  },
  { maxMs: 20, route: "GET / (public)", what: "public start page", make: publicGet("/") },
];
