// Guarantee: an installation of the previous release, of its own chart and image, is upgraded to this one
// with the migrations that it lacks, and rolled back to the older release on the newer schema, at 100 appends
// a second. Every append is answered with 201 and is in the chain once. The Job's line says what was applied.

import { afterAll, beforeAll, expect, test } from "vitest";
import { IMAGE, Installation, SERVICES, WITHIN_MS } from "./installation.ts";
import { CHART, eventually, WAIT } from "./namespace.ts";
import { type Release, releaseBefore } from "./release-before.ts";

/** The chart has a value for nothing else of a load of a hundred appends. */
const VALUES = { rateLimitPerMinute: 1_000_000 };

let release: Release;
let installation: Installation;

beforeAll(async () => {
  release = await releaseBefore();
  installation = await Installation.create(async (namespace) => {
    namespace.chart = release.chart;
    return { image: { tag: release.tag } };
  }, VALUES);
});
afterAll(async () => {
  release?.remove();
  await installation?.namespace.remove();
});

const kubectl = (...words: string[]) => installation.namespace.kubectl(...words);

/** Resolves when all pods of the services run this image: those that were replaced end after their drain. */
async function allRun(image: string): Promise<void> {
  const path = "jsonpath={range .items[*]}{.spec.containers[0].image} {end}";
  const selector = `app.kubernetes.io/component in (${SERVICES.join(", ")})`;
  await eventually(WITHIN_MS, async () => {
    const images = await kubectl("get", "pods", "--selector", selector, "-o", path);
    return (
      images
        .trim()
        .split(" ")
        .every((each) => each === image) || undefined
    );
  });
}

test("an upgrade applies what the previous release lacks, and fails no append", async () => {
  await allRun(`annals:${release.tag}`);
  const appended = await installation.withoutFailure(async () => {
    installation.namespace.chart = CHART;
    installation.values = VALUES;
    await installation.upgrade({}, ...WAIT);
  });
  expect(appended).toBeGreaterThan(0);
  await allRun(IMAGE);
  const { failed, schemas } = await installation.namespace.migrated("annals-migrate");
  expect(failed).toStrictEqual([]);
  const applied = schemas.map((schema) => [schema.service, schema.applied]);
  expect(Object.fromEntries(applied)).toStrictEqual(release.lacks);
  process.stderr.write(`${release.tag} lacked ${JSON.stringify(release.lacks)}\n`);
});

test("a rollback runs the previous release on the newer schema, and fails no append", async () => {
  const appended = await installation.withoutFailure(() =>
    installation.namespace.rollback(1, ...WAIT),
  );
  expect(appended).toBeGreaterThan(0);
  await allRun(`annals:${release.tag}`);
});
