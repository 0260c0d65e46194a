// GET /v1/widget/events/facets (docs/interface.md): counts the values of what a token may see, and tells
// nothing of the parts that it hides.

import { newClient } from "@annals/testing";
import { beforeAll, expect, inject, test } from "vitest";
import { newToken } from "../../system/widget-client.ts";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const PATH = "/v1/widget/events/facets";

const events = Array.from({ length: 12 }, (_, n) => ({
  action: n % 3 === 0 ? "user.login" : "invoice.read",
  metadata: { outcome: n % 2 === 0 ? "failure" : "success" },
}));

beforeAll(async () => {
  await client.post("/v1/events/batch", { events });
});

test("200: within the filter of the token", async () => {
  const { widget } = await newToken(client, {
    filter: { action: "invoice.*" },
    parts: ["metadata"],
  });
  const { body } = await widget.get(`${PATH}?field=action&field=outcome`);
  expect(body.data).toMatchObject([
    { values: [{ value: "invoice.read", count: 8 }], counted: { events: 8 } },
    {
      values: [
        { value: "failure", count: 4 },
        { value: "success", count: 4 },
      ],
    },
  ]);
});

test("403: a field of a part that the token hides", async () => {
  const { widget } = await newToken(client, { parts: ["context"] });
  for (const query of [
    "field=outcome",
    "field=action&field=outcome",
    "field=action&outcome=failure",
  ])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expectRefused(await widget.get(`${PATH}?${query}`), "scope_error");
});
