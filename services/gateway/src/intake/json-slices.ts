// Finds values in the bytes of a JSON text without reading them: the members of an object, and the elements
// of a list in its body. Called by the mappings of intake, which then read each value for itself, so that
// what is wrong with one item never costs the others. It must never take more than linear time.

import { atOnce, PIECE_BYTES, type Work } from "@annals/contract";
import { JsonFault } from "@annals/event";
import { JsonScanner } from "./json-scanner.ts";

/** The bytes of the value of each member. */
export type Members = ReadonlyMap<string, Buffer>;

export interface JsonList {
  /** The members of the body besides the list. */
  readonly members: Members;
  /** Undefined if the body has no list under the name. */
  readonly elements: readonly Buffer[] | undefined;
  /** How many elements an open list has beyond its maximum, and their bytes. */
  readonly beyond: { readonly count: number; readonly bytes: Buffer } | undefined;
}

interface Wanted {
  readonly maxElements: number;
  readonly name: string;
  /** Whether elements beyond the maximum are counted, and not refused. */
  readonly isOpen?: boolean | undefined;
}

/** The members of an object. Throws JsonFault for anything else, and for two of the same name. */
export function membersOf(bytes: Buffer): Members {
  return atOnce(membersInPieces(bytes));
}

/** The same for an object that may be large. Yields after every piece. */
export function* membersInPieces(bytes: Buffer): Work<Members> {
  const scanner = new JsonScanner(bytes);
  const members = new Map<string, Buffer>();
  for (const name of scanner.names())
    if (name === undefined) yield;
    else members.set(name, yield* valueOf(scanner));
  return members;
}

function* valueOf(scanner: JsonScanner): Work<Buffer> {
  let value = scanner.value();
  for (; value === undefined; value = scanner.value()) yield;
  return value;
}

/**
 * The body of a list: an object whose member `name` has at most `maxElements` elements. Yields after every
 * piece. Throws JsonFault.
 */
export function* listOf(bytes: Buffer, wanted: Wanted): Work<JsonList> {
  const scanner = new JsonScanner(bytes);
  const members = new Map<string, Buffer>();
  let list: Omit<JsonList, "members"> = { elements: undefined, beyond: undefined };
  for (const name of scanner.names())
    if (name === undefined) yield;
    else if (name === wanted.name && scanner.isArray()) list = yield* collect(scanner, wanted);
    else members.set(name, yield* valueOf(scanner));
  return { ...list, members };
}

/** A body that is an array of at most `maxElements`. Yields after every piece. Throws JsonFault. */
export function* arrayOf(bytes: Buffer, maxElements: number): Work<readonly Buffer[]> {
  const scanner = new JsonScanner(bytes);
  const { elements } = yield* collect(scanner, { name: "", maxElements });
  for (const _ of scanner.end()) yield;
  return elements;
}

function* collect(
  scanner: JsonScanner,
  { isOpen = false, maxElements, name }: Wanted,
): Work<{ readonly elements: readonly Buffer[]; readonly beyond: JsonList["beyond"] }> {
  const elements: Buffer[] = [];
  let yieldedAt = scanner.at;
  let count = 0;
  let [from, to] = [0, 0];
  for (const isElement of scanner.elements()) {
    if (!isElement) {
      yield;
      continue;
    }
    let element = scanner.value();
    for (; element === undefined; element = scanner.value()) yield;
    if (elements.length < maxElements) elements.push(element);
    else if (isOpen) {
      if (count === 0) from = scanner.at - element.length;
      to = scanner.at;
      count += 1;
    } else throw new JsonFault(name, `must have at most ${maxElements} elements`, scanner.at);
    if (scanner.at - yieldedAt < PIECE_BYTES) continue;
    yieldedAt = scanner.at;
    yield;
  }
  const bytes = scanner.bytes.subarray(from, to);
  return { elements, beyond: count === 0 ? undefined : { count, bytes } };
}
