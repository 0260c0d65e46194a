// Guarantee: with any internal link cut no request outlives its deadline. Only what depends on that link
// fails, with server_error in the error shape and Retry-After. All work again, webhooks and exports too,
// within 5 s after the link is repaired. For links that are slow or silent: network-silence.test.ts.

import { HttpClient } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  casesOf,
  type ProbedSystem,
  SERVING_WITHIN_MS,
  startProbedSystem,
  faultsOfCase,
} from "./network-cases.ts";
import { allServed, askOnce, faultsWhile } from "./network-probes.ts";
import { Link } from "./network-proxy.ts";

/** Of what can never be in time. */
const CONTROL_WITHIN_MS = 1_000;

let system: ProbedSystem;
beforeAll(async () => {
  system = await startProbedSystem();
});
afterAll(() => system?.stop());

test.each(casesOf("cut"))("%s %s", async (name, fault) => {
  expect(await faultsOfCase(system, name, fault)).toStrictEqual([]);
});

describe("control", () => {
  test("a request that outlives its deadline is reported", async () => {
    const link = await Link.to(Number(new URL(system.stack.baseUrls[0] ?? "").port));
    onTestFinished(() => link.close());
    const far = new HttpClient(`http://${link.address}`);
    const ask = () => far.get("/openapi.json");
    expect((await askOnce({ ask })).answer?.status).toBe(200);
    await link.inject("swallowed");
    expect((await askOnce({ ask }, CONTROL_WITHIN_MS)).answer).toBeUndefined();
  });

  test("a link that is not healed is reported", async () => {
    const link = system.link("gateway to export");
    await link.inject("cut");
    await expect(allServed(system.probes, CONTROL_WITHIN_MS)).rejects.toThrow(
      /POST \/exports|GET \/exports/,
    );
    await link.heal();
    await allServed(system.probes, SERVING_WITHIN_MS);
  });

  test("a request that fails with a link that it does not need is reported", async () => {
    const link = system.link("gateway to export");
    await link.inject("cut");
    const faults = await faultsWhile("cut", "export to nats", system.probes, 0);
    await link.heal();
    expect(faults.join()).toContain("GET /exports: is refused, and ought to be served");
  });
});
