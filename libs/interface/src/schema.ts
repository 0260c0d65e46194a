// What the schemas of the interface are built from. Used by the schemas here and by those of the gateway.

import { Type, type TSchema } from "typebox";

/** The keyword with a schema's name; the OpenAPI document refers to the schema by it. */
export const NAME = "x-annals-name";

/** The schema under a name in `components.schemas`. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return Object.assign(schema, { [NAME]: name });
}

/**
 * The keyword of a member that is a secret: a text is never shown, and of an object only the names are. No
 * document has it.
 */
export const SENSITIVE = "sensitive";

/** An object of which no other members are accepted. */
export const CLOSED = { additionalProperties: false } as const;

/** Longest URL of a receiver. */
const MAX_URL_LENGTH = 2_048;

export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: MAX_URL_LENGTH,
  format: "uri",
  description: "An HTTPS URL of a public host, without a user name.",
  examples: ["https://hooks.example.com/annals"],
});

export const Text = (description: string, example: string, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] });

export const Secret = (description: string, example: string, maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    description,
    examples: [example],
    [SENSITIVE]: true,
  });
