// The cases of disks that are full and of files that are damaged. Run by spool.test.ts.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Answering, failure } from "../sdk/scripted-server.ts";
import { freePort } from "./bound-cases.ts";
import { stored } from "./cases.ts";
import { LATER_OWNERS, leaveSpooled, line } from "./left-spool.ts";
import { QUIET, sentByNext, type SpoolCase } from "./spool-cases.ts";

const broken: Answering = (_, response) => failure(response, 503, "server_error");

export const DISK_CASES: readonly SpoolCase[] = [
  {
    name: "a torn last line is not sent: its track() did not return",
    fault: "lines-repaired",
    answer: stored,
    run: async (world) => {
      leaveSpooled(world.dir, { "0000000001.open": line("a1") + line("a2").slice(0, 30) });
      await sentByNext(world);
      return [world.actions(), world.keys(), world.files()];
    },
    seen: [["a1"], ["0000000001"], []],
  },
  {
    name: "a damaged line is kept for a person, and the others are sent under another key",
    fault: "lines-repaired",
    answer: stored,
    run: async (world) => {
      const damaged = line("a2").replace("a2", "b2");
      leaveSpooled(world.dir, { "0000000001.ready": line("a1") + damaged + line("a3") });
      await sentByNext(world);
      return [world.actions(), world.keys(), world.files()];
    },
    seen: [["a1 a3"], ["0000000001-1"], ["0000000001.damaged"]],
  },
  {
    name: "a complete file that has lost its end: what is left of the line is kept, the others are sent",
    fault: "lines-repaired",
    answer: stored,
    run: async (world) => {
      leaveSpooled(world.dir, { "0000000001.ready": line("a1") + line("a2").slice(0, 30) });
      await sentByNext(world);
      return [world.actions(), world.keys(), world.files()];
    },
    seen: [["a1"], ["0000000001-1"], ["0000000001.damaged"]],
  },
  {
    name: "a damaged line of a batch that may be stored: the whole of it is kept, and nothing sent",
    fault: "lines-repaired",
    answer: stored,
    run: async (world) => {
      leaveSpooled(world.dir, { "0000000001.sent": line("a1") + line("a2").replace("a2", "b2") });
      await sentByNext(world);
      return [world.actions(), world.files()];
    },
    seen: [[], ["0000000001.damaged"]],
  },
  {
    name: "a full disk: events wait in memory, it is reported, and order holds when there is space again",
    fault: "no-disk-faults",
    answer: stored,
    run: async (world) => {
      const driver = await world.start(QUIET);
      await driver.track("a1");
      await driver.send("disk", { full: true });
      const tracked = await driver.track("a2", "a3");
      await driver.send("disk", { full: false });
      await driver.track("a4");
      await driver.during("flush", 0);
      const { problems } = await driver.send("drops");
      return [tracked, world.actions(), problems, world.files()];
    },
    seen: [[true, true], ["a1", "a2 a3", "a4"], ["ENOSPC"], []],
  },
  {
    name: "a disk that is full at the start: what is tracked afterwards is sent by the next process",
    fault: "no-spool",
    answer: stored,
    run: async (world) => {
      const nowhere = { base_url: `http://127.0.0.1:${await freePort()}` };
      const first = await world.start(nowhere);
      await first.send("disk", { full: true });
      await first.track("a1");
      await first.send("disk", { full: false });
      await first.track("a2");
      await first.end();
      await sentByNext(world);
      return [world.actions(), world.files()];
    },
    seen: [["a2"], []],
  },
  {
    name: "a folder that cannot be read: it is reported and left, and those around it are sent",
    fault: "no-spool",
    answer: stored,
    run: async (world) => {
      const [unreadable, last] = LATER_OWNERS;
      leaveSpooled(world.dir, { "0000000001.ready": line("a1") });
      leaveSpooled(world.dir, {}, { name: unreadable });
      // No user may read a folder as a file, not even root.
      mkdirSync(join(world.dir, unreadable, "0000000001.ready"));
      leaveSpooled(world.dir, { "0000000001.ready": line("a3") }, { name: last });
      const next = await world.start();
      await next.during("flush", 60_000);
      const { problems } = await next.send("drops");
      return [world.actions(), problems, existsSync(join(world.dir, unreadable))];
    },
    seen: [["a1", "a3"], ["EISDIR"], true],
  },
  {
    name: "the bound: beyond it events are dropped as full",
    fault: "no-bound",
    answer: broken,
    run: async (world) => {
      const driver = await world.start({ max_bytes: 200 });
      const tracked = await driver.track("a1", "a2", "a3");
      return [tracked, (await driver.send("drops")).drops];
    },
    seen: [[true, true, false], [{ reason: "full", actions: ["a3"], type: null, status: null }]],
  },
];
