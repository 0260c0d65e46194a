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
