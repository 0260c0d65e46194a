// The words that Annals once had for what the field has a word for, and what to write instead. Read by
// words.test.ts. A pattern must not match an ordinary sentence: `fine` holds texts that come close.

export interface OwnWord {
  readonly found: RegExp;
  readonly write: string;
  /** A text that is refused. */
  readonly example: string;
  /** Texts that are not. */
  readonly fine?: readonly string[];
}

export const OWN_WORDS: readonly OwnWord[] = [
  {
    found: /\blanes?\b|\bLANES?\b|[a-z]Lanes?\b|\blanes?[A-Z]/,
    write: "concurrency slot",
    example: "all lanesTaken",
    fine: ["planes", "Planes"],
  },
  {
    found: /\bcarr(y|ied)[- ]?(calls?|methods?)\b|carriedMethods|CarryCalls/i,
    write: "multiplexed RPCs",
    example: "carry-calls-client",
    fine: ["calls that carry a message"],
  },
  {
    found: /wire[- ]?form\b/i,
    write: "encoded message",
    example: "inWireForm",
    fine: ["wire format"],
  },
  {
    found: /guess(ed)?[- ]?heads?\b|heads?[- ]?guess/i,
    write: "cached head",
    example: "HeadGuesses",
    fine: ["key guessing"],
  },
  {
    found: /\b(told|asked|tells? \w+) to go\b(?! (on|through|to))/,
    write: "drained, GOAWAY",
    example: "a connection that was told to go",
    fine: ["is asked to go on"],
  },
  {
    found: /\bg(ive|ives|iven|iving|ave)( (a|the) \w+| it| them| that)? up\b/,
    write: "timed out, cancelled, abandoned",
    example: "gives a statement up",
    fine: ["made up of parts"],
  },
  {
    found: /\b(not said a|its last) word\b/,
    write: "keepalive timeout",
    example: "has not said a word for four seconds",
  },
  { found: /\bhappenings?\b/i, write: "outbox entries", example: "happenings" },
  {
    found: /\btwo looks\b|\b(fanOut|engine)\.look\b/,
    write: "poll, notify",
    example: "between two looks",
    fine: ["looks up a row"],
  },
  {
    found: /\bnobody is told of\b/i,
    write: "negative subscription cache",
    example: "accounts that nobody is told of",
    fine: ["nobody is told to retry"],
  },
  { found: /\bby lot\b/i, write: "random sample", example: "chosen by lot", fine: ["by lots of"] },
  {
    found: /switch(ed|es|ing)?[- ]?off\b/i,
    write: "disable",
    example: "SwitchOff",
    fine: ["switch of", "offset"],
  },
  { found: /planned[- ]?anew/i, write: "custom plan", example: "plannedAnew" },
  {
    found: /ended[- ]?sessions?/i,
    write: "backend termination",
    example: "ended-sessions.test.ts",
  },
  { found: /killed[- ]?postgres/i, write: "PostgreSQL crash", example: "killed PostgreSQL" },
  { found: /stopped[- ]?ledger/i, write: "paused ledger", example: "stopped ledger" },
  { found: /\blost[- ]?answers?\b/i, write: "lost acknowledgement", example: "lost-answers" },
  {
    found: /\bthe poison\b(?!\w|[- ]?message)|poison\.test/,
    write: "poison message",
    example: "the poison took others with it",
    fine: ["a poison message", "poison-message.test.ts", "const poison ="],
  },
  { found: /yardsticks?/i, write: "baseline", example: "three yardsticks" },
  { found: /\bby turns\b/, write: "interleaved A/B", example: "measured by turns" },
  {
    found: /(?<!Connect )\bprocessors?\b/,
    write: "CPU",
    example: "a thread for each processor",
    fine: ["the Connect processor"],
  },
  {
    found: /\bunless (told|set)\b/,
    write: "by default",
    example: "50 unless told",
    fine: ["unless it is set"],
  },
  {
    found: /\b(errors?|faults?)[- ]of[- ]ours\b|ErrorsOfOurs|\ba fault of the service\b/i,
    write: "server error, internal error",
    example: "errors of ours",
  },
  {
    found: /event loop[^.]{0,12}\bheld\b|EventLoopHeld|\bhold the event loop\b/i,
    write: "event loop blocked",
    example: "Event loop held",
  },
  { found: /guessing[- ]?of[- ]?keys/i, write: "key guessing", example: "Guessing of keys" },
  { found: /\bat hand\b/, write: "available", example: "no helm at hand" },
  { found: /\balike\b/, write: "the same", example: "ours and bare alike" },
  { found: /\bway out to the internet\b/, write: "egress", example: "a way out to the internet" },
  { found: /\bfor ever\b|ForEver/, write: "permanently", example: "consumeForEver" },
  { found: /\bgrowing pauses\b/, write: "with backoff", example: "with growing pauses" },
  { found: /\btold of once\b/, write: "notified once", example: "is told of once" },
  { found: /\bheal by\b/i, write: "recover by", example: "heal by listing" },
  {
    found: /\b(process|event loop) turns\b/,
    write: "is responsive",
    example: "the process turns",
    fine: ["turns of the event loop"],
  },
  { found: /\bmended\b/, write: "fixed", example: "is mended" },
  {
    found: /\b(stands?|stood|standing) still\b/,
    write: "hangs, is paused",
    example: "a ledger that stands still",
  },
  {
    found: /\bwhat (the )?others left\b/,
    write: "work left by others",
    example: "what others left",
  },
  { found: /\bway of (a|the) request\b/i, write: "request path", example: "the way of a request" },
  {
    found: /\basked for together\b/,
    write: "batched",
    example: "told and asked for together",
  },
  { found: /\bdoes not harm\b|\bunharmed\b/, write: "does not affect", example: "does not harm" },
];
