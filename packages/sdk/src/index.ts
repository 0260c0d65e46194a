// What `@annals/sdk` exports.

export { type Action, defineActions, type EventOf, of, type TypeOf } from "./actions.ts";
export { Annals, type AnnalsOptions } from "./annals.ts";
export type { Drop, DropReason } from "./batch.ts";
export type { Created, CreateOptions } from "./create-options.ts";
export { AnnalsError, type ErrorDetail, type ErrorType } from "./annals-error.ts";
export type { Clock } from "./clock.ts";
export { diff } from "./diff.ts";
export { type Page, type PageOptions, Pages } from "./pages.ts";
export type { EventWithProof } from "./routes.ts";
export { TrackingLimits } from "./tracking-limits.ts";
export type { Stall, TrackingOptions } from "./tracking-options.ts";
export type {
  Attempt,
  AttemptResult,
  CallOptions,
  Observe,
  TransportOptions,
} from "./transport.ts";
export type * from "./types.ts";
export {
  CheckpointError,
  type VerifiedCheckpoint,
  verifyCheckpoint,
  type VerifyCheckpointOptions,
} from "./verify-checkpoint.ts";
export {
  type EventFault,
  type EventsCheck,
  type ProvenPage,
  verifyEvents,
} from "./verify-events.ts";
export {
  type HeadersLike,
  verifyWebhook,
  type VerifyWebhookOptions,
  WebhookError,
} from "./webhooks.ts";
