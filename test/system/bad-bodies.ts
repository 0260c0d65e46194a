// What no webhook may be made of, by create or by update, with the member that the refusal names.

export const BAD_URLS: readonly unknown[] = [
  "",
  5,
  null,
  "example.com",
  "http://example.com/",
  "https://user:pass@example.com/",
  "https://localhost/",
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://[::1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://169.254.169.254/latest/meta-data",
  "https://metadata.google.internal/",
  `https://example.com/${"a".repeat(2_029)}`,
];

export const BAD_EVENTS: readonly (readonly [events: unknown, field: string])[] = [
  [[], "events"],
  ["*", "events"],
  [null, "events"],
  [["event.deleted"], "events[0]"],
  [["*", "event.*"], "events[1]"],
  [["EVENT.CREATED"], "events[0]"],
  [[5], "events[0]"],
];

/** A name that never resolves (RFC 2606): a webhook may be made for it, and nothing is ever sent. */
export const URL_OF_NOBODY = "https://hooks.annals.invalid/hook";

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`);
const long = (characters: number): string => "x".repeat(characters);

/** A filter of a webhook that has this many bytes as JSON. */
function filterOfBytes(bytes: number): Readonly<Record<string, readonly string[]>> {
  const full = Array.from({ length: 10 }, (_, index) => String(index).repeat(256));
  const some = full.slice(0, 5);
  const { length } = JSON.stringify({ actor_id: full, target_id: [...some, ""] });
  return { actor_id: full, target_id: [...some, long(bytes - length)] };
}

export const BAD_FILTERS: readonly (readonly [filter: unknown, field: string])[] = [
  [5, "filter"],
  ["user.*", "filter"],
  [[], "filter"],
  [{ actions: "a" }, "filter.actions"],
  [{ occurred_from: "2026-01-31T09:30:00Z" }, "filter.occurred_from"],
  [{ action: 5 }, "filter.action"],
  [{ action: null }, "filter.action"],
  [{ action: {} }, "filter.action"],
  [{ action: "" }, "filter.action"],
  [{ action: [] }, "filter.action"],
  [{ action: ["a", "b", "c", ""] }, "filter.action[3]"],
  [{ action: ["a", "b", "c", 5] }, "filter.action[3]"],
  [{ action: "a", actor_id: ["a", ["b"]] }, "filter.actor_id[1]"],
  [{ actor_id: long(257) }, "filter.actor_id"],
  [{ target_id: ["a", long(257)] }, "filter.target_id[1]"],
  [{ target_type: texts(11) }, "filter.target_type"],
  [{ actor_type: ["a", "b\0"] }, "filter.actor_type[1]"],
  [filterOfBytes(4_097), "filter"],
  [{ outcome: [] }, "filter.outcome"],
  [{ not: "a" }, "filter.not"],
  [{ not: { action: texts(11) } }, "filter.not.action"],
  [{ not: { not: {} } }, "filter.not.not"],
  [{ not: { occurred_from: "2026-01-31T09:30:00Z" } }, "filter.not.occurred_from"],
  [{ actor_id: texts(10), outcome: texts(6), not: { action: texts(5) } }, "filter.not.action"],
];

/** With what is shown of them. */
export const GOOD_FILTERS: readonly (readonly [filter: object, shown: object])[] = [
  [{ action: "user.deleted" }, { action: ["user.deleted"] }],
  [
    { target_type: ["b", "a", "b"], action: ["*", "user.*"], actor_id: "u_1" },
    { action: ["*", "user.*"], actor_id: ["u_1"], target_type: ["b", "a"] },
  ],
  [{ actor_type: texts(10) }, { actor_type: texts(10) }],
  [{ target_id: long(256) }, { target_id: [long(256)] }],
  [{ target_id: "\u{1F600}".repeat(256) }, { target_id: ["\u{1F600}".repeat(256)] }],
  [filterOfBytes(4_096), filterOfBytes(4_096)],
  [
    { outcome: "fail*", not: { outcome: ["a", "b"], target_id: "t" } },
    { outcome: ["fail*"], not: { target_id: ["t"], outcome: ["a", "b"] } },
  ],
  [
    { actor_id: texts(10), not: { action: texts(10) } },
    { actor_id: texts(10), not: { action: texts(10) } },
  ],
  [{ action: "a", not: {} }, { action: ["a"] }],
];
