// Reads the worked examples of test/vectors/evidence. Called by the tests of this package.

import { readFileSync } from "node:fs";

const FOLDER = new URL("../../../../test/vectors/evidence/", import.meta.url);

export function vectorBytes(path: string): Buffer {
  return readFileSync(new URL(path, FOLDER));
}

// oxlint-disable-next-line no-unnecessary-type-parameters -- the test that reads it knows its shape
export function vector<Shape>(path: string): Shape {
  return JSON.parse(vectorBytes(path).toString("utf8")) as Shape;
}

export function fromHex(hashes: readonly string[]): Buffer[] {
  return hashes.map((hash) => Buffer.from(hash, "hex"));
}
