// GET /v1/widget/events/histogram (docs/interface.md): counts what a token may see, and tells nothing of the
// parts that it hides.

import { newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { newToken } from "../../system/widget-client.ts";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const PATH = "/v1/widget/events/histogram";

const events = Array.from({ length: 12 }, (_, n) => ({
  action: n % 3 === 0 ? "user.login" : "invoice.read",
  metadata: { outcome: n % 2 === 0 ? "failure" : "success" },
  occurred_at: "2026-01-01T10:00:00Z",
}));

beforeAll(async () => {
  await client.post("/v1/events/batch", { events });
});

describe("200", () => {
  test("within the filter of the token", async () => {
    const { widget } = await newToken(client, { filter: { action: "invoice.*" } });
    expect((await widget.get(`${PATH}?by=action`)).body).toMatchObject({
      total: 8,
      values: ["invoice.read"],
      complete: true,
    });
    expect((await widget.get(`${PATH}?action=user.login`)).body).toMatchObject({ total: 0 });
  });

  test("by a part that it shows", async () => {
    const { widget } = await newToken(client, { parts: ["metadata"] });
    const { body } = await widget.get(`${PATH}?by=outcome`);
    expect(body).toMatchObject({ total: 12, values: ["failure", "success"] });
  });
});

test("403: a field of a part that the token hides", async () => {
  const { widget } = await newToken(client, { parts: ["context"] });
  for (const query of ["by=outcome", "outcome=failure", "not.outcome=failure"])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expectRefused(await widget.get(`${PATH}?${query}`), "scope_error");
});
