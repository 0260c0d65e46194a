// Guarantee: a filter of a part that a token hides is refused, also where it leaves events out; what the
// token shows can be filtered by.

import { WIDGET_PARTS } from "@annals/contract";
import { expect, test } from "vitest";
import { requireVisible } from "./visible-filter.ts";

const valuesOf = (...path: string[]) => ({
  name: "n",
  path,
  type: "string",
  ignoreCase: false,
  values: ["a"],
});

test.each([
  ["metadata", valuesOf("metadata", "outcome")],
  ["context", valuesOf("context", "ip")],
  ["diff", valuesOf("diff", "after", "role")],
  ["actor.meta", valuesOf("actor", "meta", "team")],
  ["target.meta", valuesOf("target", "meta", "name")],
])("a filter needs %s", (part, field) => {
  const others = WIDGET_PARTS.filter((each) => each !== part);
  const filters = [
    { fields: [field] },
    { not: { fields: [field] } },
    {
      actions: ["a"],
      fields: [valuesOf(...others.slice(0, 1), "b"), field],
      not: { actorIds: ["u"] },
    },
  ];
  for (const filter of filters) {
    const refused = {
      kind: "scope_missing",
      message: expect.stringContaining(`not show ${part},`),
    };
    expect(() => requireVisible(filter, others)).toThrow(expect.objectContaining(refused));
    requireVisible(filter, WIDGET_PARTS);
  }
});

test("what every token shows needs nothing", () => {
  const filter = { actions: ["a"], actorIds: ["u"], not: { targetTypes: ["t"] } };
  expect(() => requireVisible(filter, [])).not.toThrow();
});
