// The classes of OCSF that events become, as the schema names them. Called by the mappings of this package,
// and by what checks the overrides of a sink. A test compares it with the extract of the schema.

/** The tag of github.com/ocsf/ocsf-schema that the mapping was written and is validated against. */
export const OCSF_VERSION: string = "1.8.0";

/** What an activity is called that the class has not. */
export const OTHER = { id: 99, name: "Other" } as const;

const IAM = { uid: 3, name: "Identity & Access Management" } as const;
const APPLICATION = { uid: 6, name: "Application Activity" } as const;

/** The classes by the names that overrides may use. The id of an activity is its position, from 1. */
export const OCSF_CLASSES = {
  account_change: {
    uid: 3001,
    caption: "Account Change",
    category: IAM,
    activities: [
      "Create",
      "Enable",
      "Password Change",
      "Password Reset",
      "Disable",
      "Delete",
      "Attach Policy",
      "Detach Policy",
      "Lock",
      "MFA Factor Enable",
      "MFA Factor Disable",
      "Unlock",
    ],
  },
  authentication: {
    uid: 3002,
    caption: "Authentication",
    category: IAM,
    activities: [
      "Logon",
      "Logoff",
      "Authentication Ticket",
      "Service Ticket Request",
      "Service Ticket Renew",
      "Preauth",
      "Account Switch",
    ],
  },
  entity_management: {
    uid: 3004,
    caption: "Entity Management",
    category: IAM,
    activities: [
      "Create",
      "Read",
      "Update",
      "Delete",
      "Move",
      "Enroll",
      "Unenroll",
      "Enable",
      "Disable",
      "Activate",
      "Deactivate",
      "Suspend",
      "Resume",
    ],
  },
  user_access: {
    uid: 3005,
    caption: "User Access Management",
    category: IAM,
    activities: ["Assign Privileges", "Revoke Privileges"],
  },
  group_management: {
    uid: 3006,
    caption: "Group Management",
    category: IAM,
    activities: [
      "Assign Privileges",
      "Revoke Privileges",
      "Add User",
      "Remove User",
      "Delete",
      "Create",
      "Add Subgroup",
      "Remove Subgroup",
    ],
  },
  api_activity: {
    uid: 6003,
    caption: "API Activity",
    category: APPLICATION,
    activities: ["Create", "Read", "Update", "Delete"],
  },
} as const satisfies Readonly<Record<string, OcsfClass>>;

export interface OcsfClass {
  readonly uid: number;
  readonly caption: string;
  readonly category: { readonly uid: number; readonly name: string };
  readonly activities: readonly string[];
}

export type OcsfClassName = keyof typeof OCSF_CLASSES;

/** The id and the caption of an activity, found in any case. One that the class has not gets 99. */
export function activityOf(name: OcsfClassName, activity: string): { id: number; name: string } {
  const { activities }: OcsfClass = OCSF_CLASSES[name];
  const at = activities.findIndex((each) => each.toLowerCase() === activity.toLowerCase());
  return at === -1
    ? { id: OTHER.id, name: activity }
    : { id: at + 1, name: activities[at] ?? activity };
}
