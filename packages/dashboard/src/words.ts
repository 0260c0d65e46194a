// The words of /v1 that the forms offer. Types are those of the SDK.

export const SCOPES = ["events:read", "events:write", "verify", "export", "keys:manage"] as const;
export const EVENT_NAMES = [
  "event.created",
  "event.verified",
  "export.completed",
  "log.checkpointed",
  "*",
] as const;
export const PARTS = ["actor.meta", "target.meta", "context", "diff", "metadata"] as const;
