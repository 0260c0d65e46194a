// The name of a key: 1 to 255 characters after trimming, no control characters (docs/interface.md).

import { invalid } from "@annals/errors";
import { Type } from "typebox";
import { openDetail } from "../render/schema.ts";

const MAX_NAME_LENGTH = 255;

export const ApiKeyName = Type.String({
  minLength: 1,
  description: `1 to ${MAX_NAME_LENGTH} characters after trimming, no control characters; need not be unique.`,
  examples: ["billing"],
  ...openDetail("key-name"),
});

/** The trimmed name. Throws `invalid`. */
export function apiKeyName(given: string): string {
  const name = given.trim();
  const length = Array.from(name).length;
  if (length < 1 || length > MAX_NAME_LENGTH) {
    throw invalid({ field: "name", message: `must have 1 to ${MAX_NAME_LENGTH} characters` });
  }
  if (/\p{Cc}/u.test(name)) {
    throw invalid({ field: "name", message: "must not contain control characters" });
  }
  return name;
}
