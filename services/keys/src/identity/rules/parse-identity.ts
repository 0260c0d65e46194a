// Parses the text of the identity file and reports every fault at once, each with the member that has it. An
// unknown member is a fault: a misspelt limit must not be no limit. Called by identity-file.ts.

import { JsonFault, type JsonValue, readJson } from "@annals/event";
import type { AccountsOf, IdentityText, PeopleProvider, WorkloadIssuer } from "./identity.ts";
import { issuerFault, urlFault } from "./provider-url.ts";

/** All faults of an identity file, one per line. */
export class IdentityFault extends Error {
  override readonly name = "IdentityFault";
}

const LIMITS = { maxDepth: 8, maxValues: 100_000 };
const NAME = /^[a-z0-9][a-z0-9_-]{0,30}$/;
const ACCOUNT = /^acct_[A-Za-z0-9_]{1,64}$/;
/** A scope-token of RFC 6749. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;
/** Texts that people read, and names that others chose: no control character. */
const TEXT = /^[^\p{Cc}]{1,255}$/u;

const MAX_PROVIDERS = 50;
const MAX_LISTED = 1_000;
const MAX_PATH = 8;

const DEFAULT_SCOPES = ["openid", "profile", "email"];
const DEFAULT_GROUPS_CLAIM = ["groups"];

const PEOPLE = [
  "accounts",
  "ca_file",
  "client_id",
  "client_secret_file",
  "groups_claim",
  "issuer",
  "name",
  "operators",
  "scopes",
  "title",
];
const WORKLOADS = ["accounts", "ca_file", "issuer", "jwks_uri", "name", "token_file"];

type Report = (where: string, what: string) => void;

/** Throws {@link IdentityFault}. */
export function parseIdentity(bytes: Uint8Array): IdentityText {
  const faults: string[] = [];
  const report: Report = (where, what) => faults.push(where === "" ? what : `${where}: ${what}`);
  const file = new Members(read(bytes), "", { known: ["people", "workloads"], report });
  const people = file.entries("people").map((entry) => readProvider(entry));
  const workloads = file.entries("workloads").map((entry) => readIssuer(entry));
  for (const member of ["name", "issuer"] as const)
    reportRepeated("people", member, { values: people.map((one) => one[member]), report });
  // Two clusters may have the same issuer: the entry is the one whose key verifies.
  reportRepeated("workloads", "name", { values: workloads.map(({ name }) => name), report });
  if (faults.length > 0) throw new IdentityFault(faults.join("\n"));
  return { people, workloads };
}

function read(bytes: Uint8Array): JsonValue {
  try {
    return readJson(bytes, LIMITS);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const where = error.path === "" ? "" : `${error.path}: `;
    throw new IdentityFault(`${where}${error.message} (byte ${error.offset})`);
  }
}

function readProvider(entry: Entry): PeopleProvider {
  const members = entry(PEOPLE);
  const scopes = members.list("scopes", SCOPE, "scopes of OAuth", DEFAULT_SCOPES);
  if (!scopes.includes("openid")) members.report("scopes", "must contain openid");
  const operators = members.object("operators", ["groups", "subjects"]);
  return {
    ...shared(members),
    title: members.text("title", TEXT, "a text of 1 to 255 characters"),
    clientId: members.text("client_id", TEXT, "a text of 1 to 255 characters"),
    clientSecretFile: members.text("client_secret_file", TEXT, "the path of a file"),
    scopes,
    groupsClaim: members.list("groups_claim", TEXT, "names of members", DEFAULT_GROUPS_CLAIM, {
      min: 1,
      max: MAX_PATH,
    }),
    operators: {
      groups: operators.list("groups", TEXT, "names of groups", []),
      subjects: operators.list("subjects", TEXT, "subjects", []),
    },
  };
}

function readIssuer(entry: Entry): WorkloadIssuer {
  const members = entry(WORKLOADS);
  return {
    ...shared(members),
    jwksUri: members.url("jwks_uri", urlFault),
    tokenFile: members.optional("token_file", TEXT, "the path of a file"),
  };
}

function shared(members: Members) {
  return {
    name: members.text("name", NAME, "1 to 31 of a to z, 0 to 9, _ and -, a letter or digit first"),
    issuer: members.url("issuer", issuerFault) ?? members.missing("issuer"),
    caFile: members.optional("ca_file", TEXT, "the path of a file"),
    accounts: readAccounts(members),
  };
}

function readAccounts(members: Members): AccountsOf {
  if (members.value("accounts") === "*") return "*";
  return members.list("accounts", ACCOUNT, 'ids of accounts, or it must be "*"');
}

function reportRepeated(
  list: string,
  member: string,
  { values, report }: { readonly values: readonly string[]; readonly report: Report },
): void {
  for (const [at, value] of values.entries())
    if (value !== "" && values.indexOf(value) < at)
      report(`${list}[${at}].${member}`, `${JSON.stringify(value)} is in an earlier entry`);
}

type Entry = (known: readonly string[]) => Members;

/** The members of an object of the file. A value that is not valid is reported, and read as empty. */
class Members {
  readonly #members: ReadonlyMap<string, JsonValue>;
  readonly #where: string;
  readonly #report: Report;

  constructor(
    value: JsonValue | undefined,
    where: string,
    { known, report }: { readonly known: readonly string[]; readonly report: Report },
  ) {
    this.#where = where;
    this.#report = report;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      report(where, "must be an object");
      this.#members = new Map();
      return;
    }
    this.#members = new Map(Object.entries(value));
    for (const name of this.#members.keys())
      if (!known.includes(name))
        report(where, `${JSON.stringify(name)} is unknown: it may contain ${known.join(", ")}`);
  }

  report(member: string, what: string): void {
    this.#report(this.#where === "" ? member : `${this.#where}.${member}`, what);
  }

  value(member: string): JsonValue | undefined {
    return this.#members.get(member);
  }

  missing(member: string): "" {
    if (this.value(member) === undefined) this.report(member, "is required");
    return "";
  }

  text(member: string, shape: RegExp, what: string): string {
    return this.optional(member, shape, what) ?? this.missing(member);
  }

  optional(member: string, shape: RegExp, what: string): string | undefined {
    const given = this.value(member);
    if (given === undefined) return undefined;
    if (typeof given === "string" && shape.test(given)) return given;
    this.report(member, `must be ${what}`);
    return undefined;
  }

  /** A URL in which `faultOf` finds nothing. */
  url(member: string, faultOf: (text: string) => string | undefined): string | undefined {
    const given = this.optional(member, TEXT, "a URL of 1 to 255 characters");
    const fault = given === undefined ? undefined : faultOf(given);
    if (fault === undefined) return given;
    this.report(member, fault);
    return undefined;
  }

  /** A list of texts of a shape, each at most once. */
  list(
    member: string,
    shape: RegExp,
    what: string,
    fallback?: readonly string[],
    { min = 0, max = MAX_LISTED } = {},
  ): readonly string[] {
    const given = this.value(member);
    if (given === undefined) {
      if (fallback === undefined) this.missing(member);
      return fallback ?? [];
    }
    const texts = Array.isArray(given) ? given.filter((one) => typeof one === "string") : [];
    const isValid =
      Array.isArray(given) &&
      texts.length === given.length &&
      texts.every((one) => shape.test(one)) &&
      new Set(texts).size === texts.length;
    if (isValid && texts.length >= min && texts.length <= max) return texts;
    this.report(member, `must be a list of ${min} to ${max} ${what}, each at most once`);
    return fallback ?? [];
  }

  object(member: string, known: readonly string[]): Members {
    const value = this.value(member) ?? {};
    return new Members(value, `${this.#where}.${member}`, { known, report: this.#report });
  }

  /** The entries of a list of objects; none if it is absent. */
  entries(member: string): Entry[] {
    const given = this.value(member) ?? [];
    if (!Array.isArray(given) || given.length > MAX_PROVIDERS) {
      this.report(member, `must be a list of at most ${MAX_PROVIDERS} objects`);
      return [];
    }
    return given.map(
      (value: JsonValue, at) => (known) =>
        new Members(value, `${member}[${at}]`, { known, report: this.#report }),
    );
  }
}
