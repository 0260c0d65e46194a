// Makes events of every kind that the service may return, in shapes that clients may choose. Called by the
// tests of this package.

import fc from "fast-check";
import type { SourceEvent } from "../source-event.ts";

const HASH = "a".repeat(64);

/** An event as in a list. */
export const EVENT: SourceEvent = {
  chain: "acct_1",
  id: "evt_1",
  sequence_number: 7,
  action: "invoice.update",
  actor: { id: "u_1", type: "user", meta: { name: "Ada" } },
  target: { id: "inv_9", type: "invoice", meta: {} },
  context: { ip: "203.0.113.7", user_agent: "curl/8" },
  diff: { before: { total: 1 }, after: { total: 2 } },
  metadata: { outcome: "success" },
  hash: HASH,
  previous_hash: "0".repeat(64),
  occurred_at: "2026-01-31T09:30:00.123456Z",
  received_at: "2026-01-31T09:30:01.000001Z",
  created_at: "2026-01-31T09:30:01.000002Z",
};

/** What a sink gets every hour. */
export const CHECKPOINT: SourceEvent = {
  chain: "acct_1",
  action: "annals.sink.checkpoint",
  metadata: { sink: "sink_1", from: 1, to: 10, count: 10, head: { sequence_number: 12 } },
};

/** Actions with a target type that leads to the class. */
export const KINDS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  authentication: [
    ["user.login", "session"],
    ["session.logged_out", "session"],
    ["signin.ConsoleLogin", "app"],
    ["user.login.failed", "user"],
    ["login_failed", ""],
  ],
  account_change: [
    ["user.create", "user"],
    ["user.password_reset", "user"],
    ["user.password.changed", "user"],
    ["user.mfa.enabled", "user"],
    ["iam.AttachUserPolicy", "user"],
    ["member.deleted", "member"],
    ["user.locked", "user"],
  ],
  entity_management: [
    ["invoice.update", "invoice"],
    ["file.downloaded", "file"],
    ["user.update", "user"],
    ["group.rename", "group"],
    ["organization.suspend", "organization"],
    ["policy.detached", "policy"],
    ["CreateBucket", "AWS::S3::Bucket"],
  ],
  user_access: [
    ["user.role.assign", "user"],
    ["role.revoked", "user"],
    ["permission.granted", "member"],
  ],
  group_management: [
    ["group.create", "group"],
    ["team.member_added", "team"],
    ["team.user.removed", "team"],
    ["group.permission.grant", "group"],
  ],
  api_activity: [
    ["ec2.RunInstances", ""],
    ["constructor", "__proto__"],
    ["a", ""],
    ["ведомость.создать", "ведомость"],
    ["payment.settled", "payment"],
  ],
};

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 20 });
const hostileName = fc.constantFrom("__proto__", "constructor", "toString", "id", "type", "before");
/** JSON as it is parsed, so that `__proto__` is a member of its own. */
const json = fc
  .dictionary(fc.oneof(text, hostileName), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as object);

/** Seldom, so that most events keep what their class requires. */
const maybe = <Value>(of: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: of });

const typeText = fc.oneof(text, fc.constantFrom("user", "User", "admin", "system", "Unknown"));
const actor = fc.oneof(
  json,
  fc.record({ id: text, type: typeText, meta: json }, { requiredKeys: [] }),
  fc.record({ id: fc.constantFrom(5, "", null, [], {}), type: fc.constantFrom(1, "", "user") }),
  fc.record({ id: text, type: text, name: text, meta: fc.record({ name: text, x: json }) }),
);
const context = fc.oneof(
  json,
  fc.record({
    ip: fc.oneof(fc.ipV4(), fc.ipV6(), text, fc.constant("::ffff:192.0.2.1"), fc.integer()),
    user_agent: fc.oneof(text, fc.constant("")),
  }),
);
const diff = fc.oneof(
  json,
  fc.record({ before: fc.oneof(json, fc.constant(null)), after: json }, { requiredKeys: [] }),
  fc.record({ before: json, after: json, more: json }),
);
const metadata = fc.oneof(
  json,
  fc.record(
    {
      outcome: fc.constantFrom("success", "failure", "unknown", "maybe"),
      role: text,
      permissions: fc.array(text),
    },
    { requiredKeys: [] },
  ),
);
const names = fc.subarray(["actor", "context", "diff", "metadata", "target"]);
const time = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9999-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString().replace("Z", "456Z"));

/** Events whose action leads to a class, most of which have what it requires. */
export function eventsOf(kind: string): fc.Arbitrary<SourceEvent> {
  return fc
    .record({
      kind: fc.constantFrom(...(KINDS[kind] ?? [])),
      isPlain: fc.constantFrom(true, true, true, false),
      parts: fc.record({ actor, target: actor, context, diff, metadata }),
      absent: maybe(names),
      erased: maybe(names),
      occurredAt: time,
      number: fc.maxSafeNat(),
      proof: maybe(json),
    })
    .map((given): SourceEvent => {
      const [action, type] = given.kind;
      const target = { ...EVENT.target, type, meta: given.parts.target };
      const parts = given.isPlain
        ? { ...given.parts, actor: EVENT.actor, target, metadata: { role: "editor" } }
        : given.parts;
      const gone = (name: string) => given.absent?.includes(name) === true;
      return {
        ...EVENT,
        ...Object.fromEntries(PARTS.map((name) => [name, parts[name] ?? {}])),
        ...Object.fromEntries((given.erased ?? []).map((name) => [name, {}])),
        action,
        sequence_number: given.number,
        occurred_at: given.occurredAt,
        ...(given.erased && { erased: given.erased }),
        ...(given.proof && { proof: given.proof }),
        ...Object.fromEntries(PARTS.filter(gone).map((name) => [name, undefined])),
      };
    })
    .map((event) => JSON.parse(JSON.stringify(event)) as SourceEvent);
}

const PARTS = ["actor", "context", "diff", "metadata", "target"] as const;
