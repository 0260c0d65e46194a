// Guarantee: one slow name is resolved once however many wait for it, and an answer or failure is cached for
// a moment only.

import { expect, test } from "vitest";
import { sharedResolver } from "./shared-resolver.ts";

test("simultaneous queries are one; after a moment there is another", async () => {
  let queries = 0;
  let now = 0;
  const resolve = sharedResolver(
    async (name) => {
      queries += 1;
      if (name === "bad") throw new Error("no such name");
      return [{ address: `192.0.2.${queries}`, family: 4 }];
    },
    () => now,
  );
  await Promise.all([resolve("a"), resolve("a"), resolve("a")]);
  expect(await resolve("a")).toEqual([{ address: "192.0.2.1", family: 4 }]);
  expect(queries).toBe(1);
  await expect(resolve("bad")).rejects.toThrow("no such name");
  await expect(resolve("bad")).rejects.toThrow("no such name");
  expect(queries).toBe(2);
  now = 5_001;
  expect(await resolve("a")).toEqual([{ address: "192.0.2.3", family: 4 }]);
});

test("names beyond the bound evict the oldest: memory does not grow with them", async () => {
  let queries = 0;
  const resolve = sharedResolver(async () => {
    queries += 1;
    return [];
  });
  for (let i = 0; i < 10_001; i++) await resolve(`name-${i}`);
  await resolve("name-10000");
  expect(queries).toBe(10_001);
  await resolve("name-0");
  expect(queries).toBe(10_002);
});
