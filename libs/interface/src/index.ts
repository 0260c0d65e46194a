export { CLOSED, NAME, named, SENSITIVE, WebhookUrl } from "./schema.ts";
export * from "./sink-config.ts";
export * from "./sink-types.ts";
