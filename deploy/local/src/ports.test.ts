// Guarantee: a port belongs to one stack from its reservation until the stack has stopped, also between the
// release of the port and the start of its server.

import { randomInt } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { reserveFreePort } from "./ports.ts";

test("a port whose server has not bound it yet is given to no other stack until it is closed", async () => {
  const drawn: number[] = [];
  const first = await reserveFreePort((below) => {
    drawn.push(randomInt(below));
    return drawn.at(-1) ?? 0;
  });
  await first.release();
  /** Draws what the first has, and then anything. */
  const sameAgain = () => {
    const draws = drawn.slice(-1);
    return reserveFreePort((below) => draws.pop() ?? randomInt(below));
  };
  const other = await sameAgain();
  onTestFinished(() => other.close());
  expect(other.port).not.toBe(first.port);
  await first.close();
  const later = await sameAgain();
  onTestFinished(() => later.close());
  expect(later.port).toBe(first.port);
});
