// The event that is mapped, and how its free-form parts are read. Called by the mappings of this package.
// Clients choose the parts, so a name is only looked up among the members that an object has itself, and
// a value of another type than expected is left where it is.

/** An event as in lists, with the account in `chain`. Checkpoints of a sink have no id and no number. */
export interface SourceEvent {
  readonly chain: string;
  readonly action: string;
  readonly id?: string;
  readonly sequence_number?: number;
  readonly hash?: string;
  readonly previous_hash?: string;
  readonly occurred_at?: string;
  readonly received_at?: string;
  readonly created_at?: string;
  readonly actor?: object;
  readonly target?: object;
  readonly context?: object;
  readonly diff?: object;
  readonly metadata?: object;
  readonly erased?: readonly string[];
  readonly proof?: object;
}

export type Members = Readonly<Record<string, unknown>>;

/** The members of a value; none of one that is not an object. */
export function membersOf(value: unknown): Members {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Members) : {};
}

/** A member that is a text with at least one character. */
export function textOf(value: unknown, name: string): string | undefined {
  const members = membersOf(value);
  const text = Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** `record` without its members that are undefined. */
export function defined(record: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** An actor or a target: its id and its type, and all that is neither. */
export interface Thing {
  readonly id?: string;
  readonly type?: string;
  /** `meta.name`, by the convention of docs/intake.md. A copy: `rest` has it too. */
  readonly name?: string;
  /** Undefined if the id and the type were all. */
  readonly rest?: object;
}

/** Takes the id and the type out of a part. A type without an id stays in the rest. */
export function thingOf(part: object | undefined): Thing {
  const members = membersOf(part);
  const id = textOf(members, "id");
  const name = textOf(members["meta"], "name");
  if (part === undefined || id === undefined)
    return { ...(name !== undefined && { name }), ...(part !== undefined && { rest: part }) };
  const type = textOf(members, "type");
  const placed = type === undefined ? ["id"] : ["id", "type"];
  const rest = Object.entries(members).filter(([member]) => !placed.includes(member));
  return {
    id,
    ...(type !== undefined && { type }),
    ...(name !== undefined && { name }),
    ...(rest.length > 0 && { rest: Object.fromEntries(rest) }),
  };
}

/** What a person reads first. */
export function messageOf({ actor, action, target }: SourceEvent): string {
  return [textOf(actor, "id"), action, textOf(target, "id")]
    .filter((text) => text !== undefined)
    .join(" ");
}

/** The time of an event: when it occurred, else the first moment that Annals knows of it. */
export function timeOf(event: SourceEvent): string | undefined {
  const times = [event.occurred_at, event.received_at, event.created_at];
  return times.find((time) => time !== undefined && !Number.isNaN(Date.parse(time)));
}
