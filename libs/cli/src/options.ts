// The options of a command, as it declares them. Read by parse.ts and help.ts.

export interface Option<T> {
  /** A phrase of the help, without a period. */
  readonly about: string;
  /** What stands for the value in the usage, such as `<id>`; a flag has none. */
  readonly placeholder: string | undefined;
  readonly isRequired: boolean;
  readonly isRepeatable: boolean;
  /** Turns the values that were given into one. Throws an Error whose message says what is wanted. */
  readonly read: (given: readonly string[]) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

export type ValuesOf<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};

type Parse<T> = (text: string) => T;

/** True if it is given. */
export function flag(about: string): Option<boolean> {
  return {
    about,
    placeholder: undefined,
    isRequired: false,
    isRepeatable: false,
    read: (given) => given.length > 0,
  };
}

/** An option that may be absent: its value is then undefined. The last one counts. */
export function option(placeholder: string, about: string): Option<string | undefined>;
export function option<T>(
  placeholder: string,
  about: string,
  parse: Parse<T>,
): Option<T | undefined>;
export function option(
  placeholder: string,
  about: string,
  parse: Parse<unknown> = asGiven,
): Option<unknown> {
  const read = (given: readonly string[]) => {
    const last = given.at(-1);
    return last === undefined ? undefined : parse(last);
  };
  return { about, placeholder, isRequired: false, isRepeatable: false, read };
}

/** An option that must be given, and must not be blank. */
export function requiredOption(placeholder: string, about: string): Option<string>;
export function requiredOption<T>(placeholder: string, about: string, parse: Parse<T>): Option<T>;
export function requiredOption(
  placeholder: string,
  about: string,
  parse: Parse<unknown> = asGiven,
): Option<unknown> {
  return { ...option(placeholder, about, parse), isRequired: true };
}

/** An option that may be given several times: its value is the list. */
export function repeatedOption<T>(
  placeholder: string,
  about: string,
  parse: Parse<T>,
): Option<readonly T[]> {
  const read = (given: readonly string[]) => given.map((each) => parse(each));
  return { about, placeholder, isRequired: false, isRepeatable: true, read };
}

function asGiven(text: string): string {
  return text;
}
