// What work on events ends with if a filter reads fields whose values were not asked for. The filters are
// known once the webhooks are locked: the caller asks for the values, and begins again. It is not a
// failure.

import type { FieldPlace } from "../../webhooks/rules/webhook-filter.ts";

export class FieldsNeeded extends Error {
  readonly fields: readonly FieldPlace[];

  constructor(fields: readonly FieldPlace[]) {
    super("a filter reads a field that was not asked for");
    this.fields = fields;
  }
}
