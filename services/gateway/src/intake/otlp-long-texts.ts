// Prepares the texts and the bytes of a message of OTLP that is not small, a piece at a time: what
// otlp-values.ts then does with them at once is little work. Called by otlp-parts.ts. It must never change
// what an event has of a value.

import { PIECE_BYTES, type Work } from "@annals/contract";
import { replaceNulInPieces } from "@annals/event";
import type { AnyValue, InstrumentationScope, KeyValue, LogRecord } from "@annals/proto/otlp";

/** Bytes that are a whole number of groups of base64. */
const BASE64_BYTES = 3 * 4 * 1_024;

type Named = Partial<
  Pick<LogRecord, "eventName" | "severityText"> & Pick<InstrumentationScope, "name" | "version">
>;
const NAMES = ["eventName", "name", "severityText", "version"] as const;

export class LongTexts {
  /** Whether a character was replaced that cannot be stored. */
  isAltered = false;

  /** The texts of a record or of a scope that are not in an attribute. */
  *names(message: Named): Work<void> {
    for (const name of NAMES) {
      const text = message[name];
      if (text !== undefined) message[name] = yield* this.#text(text);
    }
  }

  *attribute(attribute: KeyValue): Work<void> {
    attribute.key = yield* this.#text(attribute.key);
    if (attribute.value) yield* this.value(attribute.value);
  }

  *value(any: AnyValue): Work<void> {
    const { value } = any;
    if (value.case === "stringValue") value.value = yield* this.#text(value.value);
    else if (value.case === "kvlistValue")
      for (const each of value.value.values) yield* this.attribute(each);
    else if (value.case === "arrayValue")
      for (const each of value.value.values) yield* this.value(each);
    else if (value.case === "bytesValue" && value.value.length > PIECE_BYTES)
      // An event has bytes as this text.
      any.value = { case: "stringValue", value: yield* base64Of(value.value) };
  }

  *#text(text: string): Work<string> {
    const replaced = yield* replaceNulInPieces(text, PIECE_BYTES);
    if (replaced !== text) this.isAltered = true;
    return replaced;
  }
}

function* base64Of(bytes: Uint8Array): Work<string> {
  let text = "";
  for (let from = 0; from < bytes.length; from += BASE64_BYTES) {
    text += Buffer.from(bytes.subarray(from, from + BASE64_BYTES)).toString("base64");
    yield;
  }
  return text;
}
