// Guarantee: what is left out of an event is measured a few times, however many members there are: the looks
// at members are counted, and no clock decides.

import { atOnce } from "@annals/contract";
import type { JsonObject, JsonValue } from "@annals/event";
import { expect, test } from "vitest";
import { fitEvent, type LargePath } from "./fit-event.ts";

test("what is left out of an event is measured a few times, whatever there is of it", () => {
  const count = 2_000;
  let looks = 0;
  const attributes = new Proxy(
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`a${n}`, n < 20 ? "x".repeat(900) : "x"]),
    ) as JsonObject,
    {
      get(target, name) {
        looks += 1;
        return Reflect.get(target, name) as JsonValue;
      },
    },
  );
  const event = { action: "a", metadata: { attributes } };
  const paths = Object.keys(attributes)
    .slice(0, 16)
    .map((name): LargePath => ["metadata", "attributes", name]);
  expect(atOnce(fitEvent(event, [...paths, ["metadata", "attributes"]], 4_096))).toBe(true);
  expect(event.metadata.attributes).toHaveProperty("annals_omitted");
  expect(looks).toBeLessThan(4 * count);
});
