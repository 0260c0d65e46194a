// Values of OTLP as those of JSON. Called by map-otlp.ts. It must never change a value and not say so, nor
// keep one of two attributes with the same name.

import { type JsonObject, type JsonValue, newObject, setMember } from "@annals/event";
import type { AnyValue, KeyValue } from "@annals/proto/otlp";
import { Rejection } from "./item.ts";

export class OtlpValues {
  readonly #maxDepth: number;
  /** Whether a number became text, or a character that cannot be stored U+FFFD. */
  isAltered = false;

  /** `maxDepth` is how many levels a value may have. */
  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  text(given: string): string {
    if (!given.includes("\0")) return given;
    this.isAltered = true;
    return given.replaceAll("\0", "\ufffd");
  }

  members(list: readonly KeyValue[], depth = 1): JsonObject {
    if (depth > this.#maxDepth)
      throw new Rejection(`a value must not nest beyond ${this.#maxDepth} levels`);
    const object = newObject();
    for (const { key, value } of list) {
      const name = this.text(key);
      if (Object.hasOwn(object, name))
        throw new Rejection("attributes of one list must have distinct names");
      setMember(object, name, this.value(value, depth + 1));
    }
    return object;
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
        return this.members(any.value.values, depth);
      case "arrayValue":
        if (depth > this.#maxDepth)
          throw new Rejection(`a value must not nest beyond ${this.#maxDepth} levels`);
        return any.value.values.map((each) => this.value(each, depth + 1));
    }
  }

  #integer(given: bigint): JsonValue {
    const number = Number(given);
    if (Number.isSafeInteger(number)) return number;
    this.isAltered = true;
    return String(given);
  }
}
