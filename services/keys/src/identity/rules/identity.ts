// What the identity file says: the providers whose people may log in, and the issuers whose workloads may
// call. Called by what admits and what logs in.

/** The accounts in which an entry may grant anything. */
export type AccountsOf = "*" | readonly string[];

export interface PeopleProvider {
  /** The name in URLs, role mappings and the audit. */
  readonly name: string;
  /** What people read on its button. */
  readonly title: string;
  /** The text of `iss` in its tokens, to the character: with the subject it is a person. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecretFile: string;
  readonly caFile: string | undefined;
  readonly scopes: readonly string[];
  /** Names of members, from the claims inward, that lead to the groups. */
  readonly groupsClaim: readonly string[];
  readonly accounts: AccountsOf;
  readonly operators: { readonly groups: readonly string[]; readonly subjects: readonly string[] };
}

export interface WorkloadIssuer {
  readonly name: string;
  readonly issuer: string;
  /** The URL of its keys; undefined: that of its discovery document. */
  readonly jwksUri: string | undefined;
  readonly caFile: string | undefined;
  /** File of a token that is sent when its keys are fetched. */
  readonly tokenFile: string | undefined;
  readonly accounts: AccountsOf;
}

/** What the file itself says. */
export interface IdentityText {
  readonly people: readonly PeopleProvider[];
  readonly workloads: readonly WorkloadIssuer[];
}

/** The same with what is in the files that it names. */
export interface Provider extends PeopleProvider {
  readonly clientSecret: string;
  /** Certificates (PEM) of the authorities that are trusted instead of those of Node. */
  readonly ca: string | undefined;
}

export interface Issuer extends WorkloadIssuer {
  readonly ca: string | undefined;
}

export interface Identity {
  readonly people: readonly Provider[];
  readonly workloads: readonly Issuer[];
}

/** Without a file no one logs in. */
export const NO_IDENTITY: Identity = { people: [], workloads: [] };
