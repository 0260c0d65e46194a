// What a type of sinks is: the schema of its configuration, what is stored for a member that is left out, and
// the rules that no schema can state. Each file of sink-types/ makes one. Pure.

import { invalid } from "@annals/errors";
import type { Static, TObject } from "typebox";

/** What an installation decides for all types. */
export interface ConfigRules {
  /** Returns the URL and its host without brackets, or what is wrong with it, after the name of a member. */
  readonly readUrl: (
    given: string,
  ) => { readonly url: URL; readonly host: string } | { readonly fault: string };
  /** Whether a bucket may be written with the credentials of the dispatcher. */
  readonly allowProcessCredentials: boolean;
}

/** A configuration as it is stored: what a client has given, with the defaults. */
type Complete<Given, Defaults> = Omit<Given, keyof Defaults> &
  Required<Pick<Given, keyof Defaults & keyof Given>>;

export interface SinkTypeOf<Schema extends TObject, Defaults> {
  readonly schema: Schema;
  /** What is stored for a member that is left out. Other members stay absent. */
  readonly defaults: Defaults;
  /** Throws `invalid` for what the schema lets through. Returns the configuration as it is stored. */
  readonly check: (
    config: Complete<Static<Schema>, Defaults>,
    rules: ConfigRules,
  ) => Complete<Static<Schema>, Defaults>;
  /** A stream is sent what has come. A bucket gets few large objects, each with the events of one day. */
  readonly batches: "stream" | "bucket";
  /** Whether a receiver refuses an event, and not the whole sink. */
  readonly refusesEvents: boolean;
  /** What the audit names in place of the configuration, without what may authorise a request. */
  readonly receiver: (config: Complete<Static<Schema>, Defaults>) => string;
}

export const sinkType = <Schema extends TObject, const Defaults extends Partial<Static<Schema>>>(
  type: SinkTypeOf<Schema, Defaults>,
): SinkTypeOf<Schema, Defaults> => type;

/** The stored configuration of a type. */
export type StoredConfig<Type> =
  Type extends SinkTypeOf<infer Schema, infer Defaults>
    ? Complete<Static<Schema>, Defaults>
    : never;

export const fault = (member: string, message: string) =>
  invalid({ field: `config.${member}`, message });

/** Returns the URL of a member. Throws `invalid` for one that nothing may be sent to. */
export function checkUrl({ readUrl }: ConfigRules, member: string, given: string): URL {
  const read = readUrl(given);
  if ("fault" in read) throw fault(member, read.fault);
  if (read.url.hash === "" && !given.includes("#")) return read.url;
  throw fault(member, "must not contain a fragment");
}

/** The receiver of a type that has a URL: a path or a query may authorise a request. */
export const originOf = ({ url }: { readonly url: string }): string => new URL(url).origin;
