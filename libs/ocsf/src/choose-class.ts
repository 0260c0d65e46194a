// Chooses the class and the activity of an event: what an override says, else by the verb of the action and
// the type of the target. Called by the mappings to OCSF and ECS. It must never choose a class of which the
// event lacks a required attribute: an invented user is worse than a class that says less.

import { activityOf, type OcsfClassName, OTHER } from "./ocsf-classes.ts";
import { type Act, readAction, type ReadAction } from "./read-action.ts";
import { membersOf, type SourceEvent, textOf } from "./source-event.ts";

export type OcsfOverrides = Readonly<
  Record<
    string /* action, or prefix ending in * */,
    { readonly class: OcsfClassName; readonly activity?: string }
  >
>;

export interface Choice extends ReadAction {
  readonly class: OcsfClassName;
  readonly activity: { readonly id: number; readonly name: string };
  /** What a grant or a revocation names: `metadata.role`, `diff.after.roles` and so on. */
  readonly privileges: readonly string[];
}

/** What the choice is made from. */
interface Seen extends ReadAction {
  readonly hasActor: boolean;
  /** The target's type in lower case; undefined if the target has no id. */
  readonly target: string | undefined;
  readonly privileges: readonly string[];
}

const USERS: readonly string[] = ["user", "member", "admin", "employee", "service_account"];
const GROUPS: readonly string[] = ["group", "team"];
const PRIVILEGES = ["role", "roles", "permission", "permissions", "privilege", "privileges"];
const ROLE_WORDS = [...PRIVILEGES, "access", "scope", "scopes"];
const FACTORS = ["mfa", "2fa", "otp", "factor", "passkey"];

export function chooseClass(event: SourceEvent, overrides: OcsfOverrides = {}): Choice {
  const read = readAction(event);
  const target = textOf(event.target, "id");
  const seen: Seen = {
    ...read,
    hasActor: textOf(event.actor, "id") !== undefined,
    target: target && (textOf(event.target, "type") ?? "").toLowerCase(),
    privileges: privilegesOf(event),
  };
  const override = overrideOf(event.action, overrides);
  const made = (name: OcsfClassName, activity: string | undefined): Choice => ({
    ...read,
    privileges: seen.privileges,
    class: name,
    activity: activityOf(name, activity ?? OTHER.name),
  });
  if (override && canBe(override.class, seen))
    return made(override.class, override.activity ?? ACTIVITIES[override.class](seen));
  for (const name of BY_PRECEDENCE) {
    const activity = canBe(name, seen) ? ACTIVITIES[name](seen) : undefined;
    if (activity !== undefined) return made(name, activity);
  }
  return made("api_activity", undefined);
}

/** The most exact override: the action itself, else the longest prefix. */
function overrideOf(action: string, overrides: OcsfOverrides): OcsfOverrides[string] | undefined {
  if (Object.hasOwn(overrides, action)) return overrides[action];
  const prefixes = Object.keys(overrides).filter(
    (name) => name.endsWith("*") && action.startsWith(name.slice(0, -1)),
  );
  const [longest] = prefixes.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : overrides[longest];
}

/** Whether the event has what the class requires. */
function canBe(name: OcsfClassName, { hasActor, target, privileges }: Seen): boolean {
  switch (name) {
    case "authentication":
      return hasActor;
    case "user_access":
      return target !== undefined && privileges.length > 0;
    case "account_change":
    case "group_management":
    case "entity_management":
      return target !== undefined;
    case "api_activity":
      return true;
  }
}

const BY_PRECEDENCE = [
  "authentication",
  "group_management",
  "user_access",
  "account_change",
  "entity_management",
  "api_activity",
] as const satisfies readonly OcsfClassName[];

/** The activity of an event in each class; undefined if the class is not the one for it. */
const ACTIVITIES: Readonly<Record<OcsfClassName, (seen: Seen) => string | undefined>> = {
  authentication: ({ act }) => namesOf({ logon: "Logon", logoff: "Logoff" }, act),
  group_management({ act, words, target }) {
    if (!GROUPS.includes(target ?? "")) return undefined;
    if (has(words, ["member", "members", "user", "users"]))
      return namesOf({ create: "Add User", delete: "Remove User", grant: "Add User" }, act);
    const asGroup = { grant: "Assign Privileges", revoke: "Revoke Privileges" };
    return namesOf({ ...asGroup, create: "Create", delete: "Delete" }, act);
  },
  user_access({ act, words, target }) {
    if (!USERS.includes(target ?? "") || !has(words, ROLE_WORDS)) return undefined;
    const [assign, revoke] = ["Assign Privileges", "Revoke Privileges"];
    return namesOf({ grant: assign, create: assign, revoke, delete: revoke }, act);
  },
  account_change({ act, words, target }) {
    if (!USERS.includes(target ?? "")) return undefined;
    if (has(words, ["password"]))
      return namesOf({ update: words.has("reset") ? "Password Reset" : "Password Change" }, act);
    if (has(words, FACTORS)) return namesOf(ON_FACTORS, act);
    if (has(words, ["policy"])) return namesOf(ON_POLICIES, act);
    return has(words, ROLE_WORDS) ? undefined : namesOf(ON_ACCOUNTS, act);
  },
  entity_management: ({ act, target }) =>
    target === undefined ? undefined : namesOf(ON_ENTITIES, act),
  api_activity: ({ act }) => namesOf(ON_CALLS, act),
};

type Names = Readonly<Partial<Record<Act, string>>>;

const ON_FACTORS: Names = {
  enable: "MFA Factor Enable",
  create: "MFA Factor Enable",
  enroll: "MFA Factor Enable",
  disable: "MFA Factor Disable",
  delete: "MFA Factor Disable",
  unenroll: "MFA Factor Disable",
};
const ON_POLICIES: Names = { attach: "Attach Policy", detach: "Detach Policy" };
const ON_ACCOUNTS: Names = {
  create: "Create",
  delete: "Delete",
  enable: "Enable",
  disable: "Disable",
  lock: "Lock",
  unlock: "Unlock",
};
const ON_CALLS: Names = { create: "Create", read: "Read", update: "Update", delete: "Delete" };
const ON_ENTITIES: Names = {
  ...ON_CALLS,
  grant: "Update",
  revoke: "Update",
  attach: "Update",
  detach: "Update",
  lock: "Update",
  unlock: "Update",
  move: "Move",
  enroll: "Enroll",
  unenroll: "Unenroll",
  enable: "Enable",
  disable: "Disable",
  activate: "Activate",
  deactivate: "Deactivate",
  suspend: "Suspend",
  resume: "Resume",
};

function namesOf(names: Names, act: Act | undefined): string | undefined {
  return act && names[act];
}

function has(words: ReadonlySet<string>, wanted: readonly string[]): boolean {
  return wanted.some((word) => words.has(word));
}

function privilegesOf({ metadata, diff, target }: SourceEvent): string[] {
  const { after, before } = membersOf(diff);
  for (const place of [metadata, after, before, membersOf(target)["meta"]])
    for (const name of PRIVILEGES) {
      const members = membersOf(place);
      const value = Object.hasOwn(members, name) ? members[name] : undefined;
      const texts = (Array.isArray(value) ? value : [value]).filter(
        (each) => typeof each === "string" && each !== "",
      );
      if (texts.length > 0) return texts as string[];
    }
  return [];
}
