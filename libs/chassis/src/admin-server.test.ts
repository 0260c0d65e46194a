// Guarantee: liveness says only that the process is responsive, whatever fails around it. Readiness fails
// while any check fails, throws or is late, and names each. Metrics are on a page that Prometheus reads.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startAdminServer, type AdminServer, type ReadinessCheck } from "./admin-server.ts";
import { Counter, createRegistry } from "./metrics.ts";

const registry = createRegistry("test");
let checks: Record<string, ReadinessCheck>;
let server: AdminServer;

beforeEach(async () => {
  checks = {};
  server = await startAdminServer({ host: "127.0.0.1", port: 0, registry, checks });
});
afterEach(() => server.close());

async function get(path: string): Promise<{ status: number; text: string; type: string | null }> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
  const type = answer.headers.get("content-type");
  return { status: answer.status, text: await answer.text(), type };
}

describe("/readyz", () => {
  test("is ok while every check is", async () => {
    checks["database"] = async () => undefined;
    expect(await get("/readyz")).toMatchObject({ status: 200, text: "ok\n" });
  });

  test("names every check that fails or throws, and is ok again when they pass", async () => {
    checks["one"] = async () => "the schema lacks 0002";
    checks["two"] = () => Promise.reject(new Error("refused"));
    checks["three"] = () => {
      throw new Error("at once");
    };
    checks["four"] = async () => undefined;
    expect(await get("/readyz")).toMatchObject({
      status: 503,
      text: "one: the schema lacks 0002\ntwo: refused\nthree: at once\n",
    });
    for (const name of ["one", "two", "three"]) checks[name] = async () => undefined;
    expect(await get("/readyz?verbose")).toMatchObject({ status: 200 });
  });

  test("does not wait for a check that never answers, and /livez does not ask it", async () => {
    let asked = 0;
    checks["database"] = () => ((asked += 1), new Promise(() => {}));
    expect(await get("/livez")).toMatchObject({ status: 200, text: "ok\n" });
    expect(asked).toBe(0);
    const readiness = get("/readyz");
    expect(await get("/livez")).toMatchObject({ status: 200 });
    expect(await readiness).toMatchObject({
      status: 503,
      text: "database: no response within 2000 ms\n",
    });
  });
});

test("/metrics is a page of the process and of what is counted", async () => {
  const options = { name: "annals_tests_total", help: "Tests.", registers: [registry] };
  new Counter(options).inc(3);
  const page = await get("/metrics");
  expect(page.type).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(page.text).toContain('annals_tests_total{service="test"} 3');
  expect(page.text).toContain("process_cpu_seconds_total");
});

test("any other path is a 404", async () => {
  expect(await get("/v1/events")).toMatchObject({ status: 404 });
});

test("a port that is taken is an error, not a crash; a closed server takes no call", async () => {
  const taken = { host: "127.0.0.1", port: server.port, registry, checks };
  await expect(startAdminServer(taken)).rejects.toThrow("EADDRINUSE");
  await server.close();
  await expect(get("/livez")).rejects.toThrow("fetch failed");
});
