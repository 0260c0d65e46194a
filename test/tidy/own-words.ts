// The words that Annals once had for what the field has a word for, as patterns, and what to write instead.
// Read by words.test.ts. A pattern must not match an ordinary sentence.

export const OWN_WORDS: Readonly<Record<string, string>> = {
  "lanes?": "concurrency slot",
  "carr(y|ied) ?(calls?|methods?)": "multiplexed RPCs",
  "wire ?form": "encoded message",
  "guess(ed)? heads?|heads? guess(es)?": "cached head",
  "(told|asked|tells? \\w+) to go(?! (on|through|to)\\b)": "drained, GOAWAY",
  "g(ive|ives|iven|iving|ave)( (a|the) \\w+| it| them| that)? up":
    "timed out, cancelled, abandoned",
  "(not said a|its last) word": "keepalive timeout",
  "happenings?": "outbox entries",
  "two looks|(fan out|engine)\\.look": "poll, notify",
  "nobody is told of": "negative subscription cache",
  "by lot": "random sample",
  "switch(ed|es|ing)? ?off": "disable",
  "planned anew": "custom plan",
  "ended sessions?": "backend termination",
  "killed postgres(ql)?": "PostgreSQL crash",
  "stopped ledger": "paused ledger",
  "lost answers?": "lost acknowledgement",
  "the poison(?! message)|poison\\.test": "poison message",
  "yardsticks?": "baseline",
  "(?<!batches )by turns": "interleaved A/B",
  "(?<!connect |record |audit |structlog )processors?(?!(: |=)\\[)": "CPU",
  "unless (told|set)": "by default",
  "(errors?|faults?) of ours|a fault of the service": "server error, internal error",
  "event loop[^.]{0,12} held|hold the event loop": "event loop blocked",
  "guessing of keys": "key guessing",
  "at hand": "available",
  alike: "the same",
  "way out to the internet": "egress",
  "for ever": "permanently",
  "growing pauses": "with backoff",
  "told of once": "notified once",
  "heal by": "recover by",
  "(process|event loop) turns": "is responsive",
  mended: "fixed",
  "(stands?|stood|standing) still": "hangs, is paused",
  "what (the )?others left": "work left by others",
  "way of (a|the) request": "request path",
  "asked for together": "batched",
  "does not harm|unharmed": "does not affect",
  "any more": "no longer",
  "the release before": "the previous release",
  "(?<!\\(const [^)]*)of (ours|yours)": "of the project, your own",
};

/** As the patterns are, lower case and spaces: `HeadGuesses` and `head-guesses` are `head guesses`. */
export function plain(text: string): string {
  return text.replaceAll(/([a-z])([A-Z])|[-_]/g, "$1 $2").toLowerCase();
}
