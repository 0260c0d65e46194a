// Guarantee: one slow name is asked once however many wait for it, and an answer, good or bad, is kept for
// a moment only.

import { expect, test } from "vitest";
import { sharedResolver } from "./shared-resolver.ts";

test("asked at the same time, asked once; after a moment, asked again", async () => {
  let asked = 0;
  let now = 0;
  const resolve = sharedResolver(
    async (name) => {
      asked += 1;
      if (name === "bad") throw new Error("no such name");
      return [{ address: `192.0.2.${asked}`, family: 4 }];
    },
    () => now,
  );
  await Promise.all([resolve("a"), resolve("a"), resolve("a")]);
  expect(await resolve("a")).toEqual([{ address: "192.0.2.1", family: 4 }]);
  expect(asked).toBe(1);
  await expect(resolve("bad")).rejects.toThrow("no such name");
  await expect(resolve("bad")).rejects.toThrow("no such name");
  expect(asked).toBe(2);
  now = 5_001;
  expect(await resolve("a")).toEqual([{ address: "192.0.2.3", family: 4 }]);
});

test("names beyond the bound push the oldest out: memory does not grow with them", async () => {
  let asked = 0;
  const resolve = sharedResolver(async () => {
    asked += 1;
    return [];
  });
  for (let i = 0; i < 10_001; i++) await resolve(`name-${i}`);
  await resolve("name-10000");
  expect(asked).toBe(10_001);
  await resolve("name-0");
  expect(asked).toBe(10_002);
});
