// GET /v1/usage (docs/interface.md): what the account's plan allows, and what of each limit is used. Each
// number comes from the service that enforces its limit. Any API key and any person with a role may ask: a
// request that meets a limit is told of it, too.

import { FEATURES, ROLES } from "@annals/contract";
import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { ApiKeyId, ScopeBody } from "../api-keys/render-api-key.ts";
import { dataOf } from "../render/data.ts";
import { Count, type Described, named, Nullable } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Use = (description: string, used: number, limit: number | null) =>
  Type.Object(
    {
      used: Count({ examples: [used] }),
      limit: Nullable(Count(), { description: "Null if there is no limit.", examples: [limit] }),
    },
    { description },
  );

const LEFT_OUT = "Null if the plan does not include the feature.";
const OfFeature = (...given: Parameters<typeof Use>) =>
  Nullable(Use(...given), { description: LEFT_OUT });
const Days = (options: Described) => Nullable(Count(), options);

const Window = (description: string, used: number, limit: number) =>
  Type.Object(
    {
      used: Count({ examples: [used] }),
      limit: Count({ examples: [limit] }),
      resets_in: Type.Integer({
        minimum: 1,
        description: "Seconds until the window ends.",
        examples: [41],
      }),
    },
    { description },
  );

const UsageBody = named(
  "Usage",
  Type.Object({
    account_id: Type.String({ examples: ["acct_0h4n8r2v6y1b5e9j3m7q0t4w8z"] }),
    key: Type.Object(
      {
        id: Type.String({
          ...ApiKeyId,
          pattern: "^(key|usr)_[0-9a-z]+$",
          description: "`key_` and an opaque string, or `usr_` for a person.",
        }),
        scopes: Type.Array(ScopeBody, { examples: [["verify"]] }),
        role: Type.Optional(
          Type.Enum([...ROLES], { description: "Of a person.", examples: ["viewer"] }),
        ),
      },
      { description: "The API key of this request, or the person." },
    ),
    plan: Type.Object({
      name: Type.String({ examples: ["free"] }),
      features: Type.Array(Type.Enum([...FEATURES]), {
        description: "What the plan includes.",
        examples: [["webhooks", "verify"]],
      }),
    }),
    requests: Window(
      "Requests of this key in its window of 60 seconds, including this one.",
      3,
      100,
    ),
    account_requests: Window(
      "Requests of all keys and widget tokens of the account in its window of 60 seconds.",
      12,
      6_000,
    ),
    events: Use(
      "Events that were stored, with those that retention has deleted. No plan limits them.",
      4_200,
      null,
    ),
    month_events: Type.Object(
      {
        ...Use("", 310, 10_000).properties,
        month: Type.String({
          pattern: "^\\d{4}-\\d{2}$",
          description: "The month, in UTC.",
          examples: ["2026-01"],
        }),
      },
      { description: "Events of this month that count against the plan." },
    ),
    api_keys: Use("Live keys.", 2, 5),
    widget_tokens: Use("Live tokens.", 40, 10_000),
    widget_tokens_of_key: Use("Live widget tokens created by this key.", 40, 2_500),
    webhooks: OfFeature("Webhooks.", 1, 3),
    sinks: OfFeature("Sinks.", 1, 10),
    pending_deliveries: OfFeature("Deliveries that wait for their next attempt.", 0, 100_000),
    pending_delivery_bytes: OfFeature("Bytes of the bodies of these deliveries.", 0, 268_435_456),
    exports: OfFeature("Exports, finished or not.", 4, 1_000),
    export_bytes: OfFeature(
      "Bytes of all export files, including those that are being written or were just deleted.",
      48_000_000,
      2_147_483_648,
    ),
    exports_under_way: OfFeature("Unfinished exports.", 1, 10),
    events_exported_today: OfFeature(
      "Events that exports have read in this day of UTC. The export that passes the limit is the day's last one.",
      42_000,
      100_000_000,
    ),
    events_replayed_today: OfFeature(
      "Events that were replayed to webhooks and sinks in this day of UTC. The replay that passes the limit is the day's last one.",
      1_000,
      100_000_000,
    ),
    idempotency_hours: Count({
      description: "How long an `Idempotency-Key` is kept.",
      examples: [72],
    }),
    retention_days: Type.Object({
      deliveries: Days({
        description: `How long the record of a delivery is kept. ${LEFT_OUT}`,
        examples: [30],
      }),
      exports: Days({
        description: `How long an export is kept. Null if exports do not expire. ${LEFT_OUT}`,
        examples: [30],
      }),
    }),
  }),
);

type Owners = Pick<Deps, "exports" | "keys" | "ledger" | "webhooks">;

export function getUsage({ exports, keys, ledger, webhooks }: Owners): Route {
  return route({
    summary: "Get the use of each limit",
    description: "The limits come from the plan and the service's settings.",
    success: { status: 200, body: dataOf(UsageBody) },
    handle: async ({ admission, signal }) => {
      const { accountId, plan } = admission;
      const [asked, by] = [{ accountId }, admittedBy(admission, signal)];
      const features = FEATURES.filter((one) => !plan.featuresLeftOut.includes(one));
      // A service that offers what the plan leaves out need not be there.
      const [ofKeys, ofLedger, ofWebhooks, ofExports] = await Promise.all([
        keys.getUsage(asked, by),
        ledger.getUsage(asked, by),
        features.includes("webhooks") ? webhooks.getUsage(asked, by) : null,
        features.includes("exports") ? exports.getUsage(asked, by) : null,
      ]);
      const { accountWindow, limit, remaining, windowEndsInS } = admission;
      const data = {
        account_id: accountId,
        key: {
          id: admission.keyId,
          scopes: admission.scopes,
          ...(admission.person && { role: admission.person.role }),
        },
        plan: { name: plan.name, features },
        requests: { used: limit - remaining, limit, resets_in: windowEndsInS },
        account_requests: {
          used: accountWindow.used,
          limit: accountWindow.limit,
          resets_in: Math.max(1, accountWindow.endsInS),
        },
        events: use(ofLedger.events),
        month_events: { ...use(ofLedger.monthEvents, plan.monthlyEvents), month: ofLedger.month },
        api_keys: use(ofKeys.apiKeys, plan.maxKeys),
        widget_tokens: use(ofKeys.widgetTokens, ofKeys.maxWidgetTokens),
        widget_tokens_of_key: use(ofKeys.widgetTokensOfKey, ofKeys.maxWidgetTokensOfKey),
        webhooks: ofWebhooks && use(ofWebhooks.webhooks, plan.maxWebhooks),
        sinks: ofWebhooks && use(ofWebhooks.sinks, plan.maxSinks),
        pending_deliveries:
          ofWebhooks && use(ofWebhooks.pendingDeliveries, ofWebhooks.maxPendingDeliveries),
        pending_delivery_bytes:
          ofWebhooks && use(ofWebhooks.pendingBytes, ofWebhooks.maxPendingBytes),
        exports: ofExports && use(ofExports.kept, ofExports.maxKept),
        export_bytes: ofExports && use(ofExports.bytes, ofExports.maxBytes),
        exports_under_way: ofExports && use(ofExports.underWay, ofExports.maxUnderWay),
        events_exported_today: ofExports && use(ofExports.dayEvents, ofExports.maxDayEvents),
        events_replayed_today: ofWebhooks && use(ofWebhooks.dayEvents, ofWebhooks.maxDayEvents),
        idempotency_hours: ofLedger.idempotencyHours,
        retention_days: {
          deliveries: ofWebhooks && ofWebhooks.retentionDays,
          exports: (ofExports?.retentionDays ?? 0) || null,
        },
      };
      return { body: { data } };
    },
  });
}

function use(used: number | bigint, limit?: number | bigint) {
  return { used: Number(used), limit: limit === undefined ? null : Number(limit) };
}
