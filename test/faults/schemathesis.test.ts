// Guarantee: a fuzzer that is not ours, and has read nothing but the served document, finds no answer
// outside of it and none of 5xx (schemathesis, of PyPI). Of the full form alone, and only where Python is:
// fuzz.test.ts needs neither.
//
// Two of its checks are left out. `positive_data_acceptance` wants all that fits the schemas accepted, and
// JSON Schema cannot say of a text that it is a date that exists or a cursor that was given out.
// `unsupported_method` wants 405, where we answer 404 (docs/open-details.md).

import { newAccount } from "@annals/testing";
import type { Stack } from "@annals/local";
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { startConstellation } from "../constellation.ts";
import type { Schema } from "./fuzz-values.ts";
import { report } from "./report.ts";

const RELEASE = "schemathesis==4.32.5";
/** With what makes virtual environments, which Debian keeps in a package of its own. */
const hasPython = spawnSync("python3", ["-c", "import venv, ensurepip"]).status === 0;
const { rounds, cases } = inject("form").schemathesis;
const CONTROL_CASES = 20;
const RATE_LIMIT_PER_MINUTE = 1_000_000_000;
const FIRST_SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const OPERATIONS_A_GROUP = 5;

const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "missing_required_header",
  "ignored_auth",
];

/**
 * It asks for things by the ids that it was told. What ends or changes a key goes with what makes keys and
 * not with what lists them: it would end its own.
 */
const ON_KEYS = [
  "create-api-key",
  "update-api-key",
  "delete-api-key",
  "create-key",
  "delete-key",
] as const;

const run = promisify(execFile);

interface Run {
  /** The document's URL, or a file. */
  readonly location: string;
  readonly examples: number;
  /** From 1; each has a seed of its own. */
  readonly round: number;
  readonly operations: readonly string[];
}

describe.runIf(hasPython)("schemathesis", () => {
  let folder: string;
  let stack: Stack;
  const baseUrl = () => stack.baseUrls[0] ?? "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "annals-schemathesis-"));
    await run("python3", ["-m", "venv", folder]);
    await run(join(folder, "bin/pip"), ["install", "--quiet", RELEASE]);
    stack = await startConstellation({ rateLimitPerMinute: RATE_LIMIT_PER_MINUTE });
  });
  afterAll(async () => {
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What it printed, and whether it found nothing. */
  async function schemathesis({ location, examples, round, operations }: Run) {
    const { key } = await newAccount(stack.databaseUrl);
    const named = Object.entries({
      url: baseUrl(),
      header: `Authorization: Bearer ${key}`,
      phases: round === 1 ? "examples,coverage,fuzzing" : "fuzzing",
      checks: CHECKS.join(),
      "max-examples": examples,
      seed: FIRST_SEED - 1 + round,
      // With one, Hypothesis spends three quarters of its time making each case that it kept there smaller.
      "generation-database": "none",
      // In threads of one process Python's parser, which Hypothesis uses, fails now and then.
      workers: 1,
    }).map(([name, value]) => `--${name}=${value}`);
    const given = [
      "run",
      location,
      ...named,
      "--continue-on-failure",
      "--no-shrink",
      ...operations,
    ];
    const options = { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES };
    return run(join(folder, "bin/schemathesis"), given, options).then(
      ({ stdout }) => ({ stdout, passed: true }),
      ({ stdout }: { stdout: string }) => ({ stdout, passed: false }),
    );
  }

  const only = (names: readonly string[]) =>
    names.flatMap((name) => ["--include-operation-id", name]);
  const allBut = (names: readonly string[]) =>
    names.flatMap((name) => ["--exclude-operation-id", name]);

  const groups = {
    keys: only(ON_KEYS),
    events: ["--include-path-regex", "^/v1/(events|verify)"],
    webhooks: ["--include-path-regex", "^/v1/webhooks"],
    exports: ["--include-path-regex", "^/v1/(exports|api-keys)", ...allBut(ON_KEYS)],
  };

  // In rounds, so that each tells what it found when it ends; all groups at a time, since each is held up by
  // one processor.
  test.each(Array.from({ length: rounds }, (_, index) => index + 1))(
    `${cases} cases an operation, round %i of ${rounds}`,
    async (round) => {
      const location = `${baseUrl()}/openapi.json`;
      const runs = Object.entries(groups).map(async ([name, operations]) => {
        const found = await schemathesis({ location, examples: cases, round, operations });
        return { name, found };
      });
      const figures: Record<string, number> = {};
      // When all have ended: none may go on into the next round because another failed.
      for (const { name, found } of await Promise.all(runs)) {
        expect(found.passed, found.stdout).toBe(true);
        expect(found.stdout).toContain(`Tested: ${OPERATIONS_A_GROUP}\n`);
        // It warns of operations where every request was refused for its key.
        expect(found.stdout).not.toContain("Authentication failed");
        const [, made, passed] = /(\d+) generated, (\d+) passed/.exec(found.stdout) ?? [];
        expect(Number(made)).toBeGreaterThan(cases);
        expect(passed).toBe(made);
        figures[name] = Number(made);
      }
      report(figures);
    },
  );

  test("control: it finds a status and a member that are not in the document", async () => {
    const document: Schema = await (await fetch(`${baseUrl()}/openapi.json`)).json();
    delete document.paths["/v1/events"].post.responses[422];
    document.paths["/v1/webhooks"].get.responses[200].content[
      "application/json"
    ].schema.required.push("total");
    const file = join(folder, "changed.json");
    await writeFile(file, JSON.stringify(document));
    const operations = only(["create-event", "list-webhooks"]);
    const given = { location: file, examples: CONTROL_CASES, round: 1, operations };
    const found = await schemathesis(given);
    expect(found.passed).toBe(false);
    expect(found.stdout).toContain("Undocumented status code");
    expect(found.stdout).toContain('"total" is a required property');
  });
});
