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

describe("bars by default, with a filter", () => {
  const shown = { action: "invoice.read", occurred_at: "2026-01-01T10:00:00Z" };

  /** Counts one event of an account whose other events the token does not see. */
  async function counted(hidden: string, query: string) {
    const { client: own } = await newClient(inject("stack"));
    const others = ["2026-02-01T00:00:00Z", hidden].map((at) => ({ action: "a", occurred_at: at }));
    await own.post("/v1/events/batch", { events: [...others, shown] });
    const { widget } = await newToken(own, { filter: { action: "invoice.*" } });
    return (await widget.get(`${PATH}?${query}`)).body;
  }

  test.each([
    ["", "1w"],
    ["occurred_to=2026-01-02T00:00:00Z", "1w"],
    ["occurred_from=2026-01-01T00:00:00Z", "1w"],
    ["occurred_from=2026-01-01T10:00:00Z&occurred_to=2026-01-01T12:00:00Z", "1m"],
  ])("do not tell when the first event occurred: %s", async (query, interval) => {
    const [old, recent] = [
      await counted("1991-01-01T00:00:00Z", query),
      await counted("2026-01-01T09:00:00Z", query),
    ];
    expect(old).toEqual(recent);
    expect(old).toMatchObject({ total: 1, interval, complete: true });
  });

  test("422: bars of days need a time", async () => {
    const { widget } = await newToken(client, { filter: { action: "invoice.*" } });
    const field = "interval";
    expectRefused(await widget.get(`${PATH}?interval=1d`), "validation_error", { field });
  });
});

test("403: a field of a part that the token hides", async () => {
  const { widget } = await newToken(client, { parts: ["context"] });
  for (const query of ["by=outcome", "outcome=failure", "not.outcome=failure"])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expectRefused(await widget.get(`${PATH}?${query}`), "scope_error");
});
