// Values of OTLP as those of JSON. Called by map-otlp.ts. It must never change a value and not say so, nor
// keep one of two attributes with the same name: who adds one must not hide another, nor the record.

import type { Work } from "@annals/contract";
import { type JsonObject, type JsonValue, newObject, replaceNul, setMember } from "@annals/event";
import type { AnyValue, KeyValue } from "@annals/proto/otlp";
import { omitted } from "./fit-event.ts";

export class OtlpValues {
  readonly #maxDepth: number;
  /** Whether a number became text, names that are there twice a list, or a character U+FFFD. */
  isAltered = false;
  /** What nests too deep, and what is to stand for it. */
  readonly #tooDeep: { readonly value: JsonValue; readonly standsFor: JsonObject }[] = [];

  /** `maxDepth` is how many levels a value may have. */
  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  /** Whether a part that nests too deep is left out. */
  get isReduced(): boolean {
    return this.#tooDeep.length > 0;
  }

  /** Measures what is left out, without which the values are not complete. Yields at least once. */
  *complete(): Work<void> {
    for (const { standsFor, value } of this.#tooDeep)
      Object.assign(standsFor, yield* omitted(value));
    yield;
  }

  text(given: string): string {
    if (!given.includes("\0")) return given;
    this.isAltered = true;
    return replaceNul(given);
  }

  /** An object. A name that is there more than once has the list of its values. */
  members(list: readonly KeyValue[], depth = 1): JsonObject {
    const object = newObject();
    for (const { key, value } of list) {
      const name = this.text(key);
      if (Object.hasOwn(object, name)) return this.#withLists(list, depth);
      setMember(object, name, this.value(value, depth + 1));
    }
    return object;
  }

  /** The first value of each name that is there more than once. */
  firsts(list: readonly KeyValue[], members: JsonObject): ReadonlyMap<string, JsonValue> {
    const firsts = new Map<string, JsonValue>();
    if (Object.keys(members).length === list.length) return firsts;
    const seen = new Set<string>();
    for (const { key } of list) {
      const name = this.text(key);
      const values = members[name];
      if (seen.has(name) && Array.isArray(values)) firsts.set(name, values[0] ?? null);
      seen.add(name);
    }
    return firsts;
  }

  value(given: AnyValue | undefined, depth = 1): JsonValue {
    const any = given?.value;
    switch (any?.case) {
      case undefined:
        return null;
      case "stringValue":
        return this.text(any.value);
      case "boolValue":
        return any.value;
      case "intValue":
        return this.#integer(any.value);
      case "doubleValue":
        return Number.isFinite(any.value) ? any.value : String(any.value);
      case "bytesValue":
        return Buffer.from(any.value).toString("base64");
      case "kvlistValue":
        if (depth > this.#maxDepth) return this.#omitted(given);
        return this.members(any.value.values, depth);
      case "arrayValue":
        if (depth > this.#maxDepth) return this.#omitted(given);
        return any.value.values.map((each) => this.value(each, depth + 1));
    }
  }

  #withLists(list: readonly KeyValue[], depth: number): JsonObject {
    this.isAltered = true;
    const lists = new Map<string, (AnyValue | undefined)[]>();
    for (const { key, value } of list) {
      const name = this.text(key);
      const values = lists.get(name);
      if (values) values.push(value);
      else lists.set(name, [value]);
    }
    const object = newObject();
    for (const [name, values] of lists) setMember(object, name, this.#oneOrList(values, depth + 1));
    return object;
  }

  #oneOrList(values: readonly (AnyValue | undefined)[], depth: number): JsonValue {
    if (values.length === 1) return this.value(values[0], depth);
    if (depth <= this.#maxDepth) return values.map((each) => this.value(each, depth + 1));
    const whole = new OtlpValues(Infinity);
    return this.#leaveOut(values.map((each) => whole.value(each)));
  }

  /** What stands for a part that nests too deep. Those who have made the message bound how deep it is. */
  #omitted(given: AnyValue | undefined): JsonObject {
    return this.#leaveOut(new OtlpValues(Infinity).value(given));
  }

  #leaveOut(value: JsonValue): JsonObject {
    const standsFor = {};
    this.#tooDeep.push({ value, standsFor });
    return standsFor;
  }

  #integer(given: bigint): JsonValue {
    const number = Number(given);
    if (Number.isSafeInteger(number)) return number;
    this.isAltered = true;
    return String(given);
  }
}
