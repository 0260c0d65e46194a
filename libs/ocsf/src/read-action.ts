// Reads the words of an action: what was done, to what kind of thing, and whether it worked. Called by the
// choice of a class. Applications name their actions as they like (`user.login`, `iam.CreateUser`,
// `team.member_added`), so an unknown word gives an action without an act, and never an error.

import { type SourceEvent, textOf } from "./source-event.ts";

/** The verbs by what they do. A form in the past is found from its verb, if it is regular. */
const VERBS = {
  logon: "login logon signin loggedin signedin authenticate",
  logoff: "logout logoff signout loggedout signedout",
  create: "create add insert register import upload new provision invite",
  read: "read get list view download export describe search query access open head lookup",
  update: "update edit change modify patch put set rename reset replace",
  delete: "delete remove destroy purge erase",
  grant: "grant assign",
  revoke: "revoke unassign",
  attach: "attach",
  detach: "detach",
  move: "move",
  enroll: "enroll",
  unenroll: "unenroll",
  enable: "enable",
  disable: "disable",
  activate: "activate",
  deactivate: "deactivate",
  suspend: "suspend",
  resume: "resume unsuspend",
  lock: "lock",
  unlock: "unlock",
} as const;

export type Act = keyof typeof VERBS;

export type Outcome = "success" | "failure" | "unknown";

const ACTS: ReadonlyMap<string, Act> = new Map(
  Object.entries(VERBS).flatMap(([act, verbs]) =>
    verbs.split(" ").flatMap((verb) => [verb, past(verb)].map((form) => [form, act as Act])),
  ),
);

const ENDINGS: ReadonlyMap<string, Outcome> = new Map([
  ...["success", "succeeded", "ok"].map((word) => [word, "success"] as const),
  ...["failure", "failed", "fail", "denied", "error"].map((word) => [word, "failure"] as const),
]);
const OUTCOMES: readonly string[] = ["success", "failure", "unknown"];

export interface ReadAction {
  readonly act?: Act;
  /** Every word of the action in lower case. */
  readonly words: ReadonlySet<string>;
  readonly outcome?: Outcome;
}

export function readAction({ action, metadata }: SourceEvent): ReadAction {
  const segments = action
    .split(/[^\p{L}\p{N}_-]+/u)
    .map((segment) => wordsOf(segment))
    .filter((words) => words.length > 0);
  const words = new Set(segments.flat());
  const ending = ENDINGS.get(segments.at(-1)?.at(-1) ?? "");
  if (ending !== undefined) segments.at(-1)?.pop();
  const last = segments.findLast((each) => each.length > 0) ?? [];
  const act = actOf(last);
  const said = textOf(metadata, "outcome");
  const outcome = said !== undefined && OUTCOMES.includes(said) ? (said as Outcome) : ending;
  return { words, ...(act && { act }), ...(outcome && { outcome }) };
}

/** The verb is the whole segment (`log_in`), its first word (`CreateUser`) or its last (`member_added`). */
function actOf(words: readonly string[]): Act | undefined {
  const candidates = [words.join(""), words[0], words.at(-1)];
  for (const word of candidates) {
    const act = ACTS.get(word ?? "");
    if (act !== undefined) return act;
  }
  return undefined;
}

function wordsOf(segment: string): string[] {
  return segment
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== "");
}

function past(verb: string): string {
  if (verb.endsWith("e")) return `${verb}d`;
  return verb.endsWith("y") ? `${verb.slice(0, -1)}ied` : `${verb}ed`;
}
