// `annals distribute`: runs `distribute` of the services with distributed tables, one after the other, each
// in its own process with the settings of its own service. It ends with the first that fails.

import { command, type Command, EXIT, flag, option } from "@annals/cli";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Environment } from "./local-stack.ts";
import { programOf } from "./programs.ts";
import { environmentFor } from "./service-environment.ts";

const SERVICES = ["ledger", "export", "webhook-dispatcher"];

export function distributeCommand(environment: Environment): Command {
  return command(
    {
      name: "distribute",
      summary: "Distribute the tables of accounts over the workers of a Citus cluster",
      details: `Prints what would be distributed. With --apply it does so, in one transaction for each of ${SERVICES.join(", ")}.
A second run takes only what is new. docs/scaling.md has the steps before and after it.

Requires ANNALS_DATABASE_URL of the coordinator, with the login that migrates.`,
      options: {
        apply: flag("Distribute the tables; without it the plan is printed"),
        copy: flag("Also distribute tables with rows: they are locked while the rows are copied"),
        shards: option("<n>", "Number of shards of each table, fixed for good (default 32)"),
      },
      examples: ["annals distribute", "annals distribute --apply --shards 64"],
      exitStatus: "0 success, 1 the database refused, 2 usage or configuration error",
    },
    async ({ apply, copy, shards }) => {
      const args = [
        "distribute",
        ...(apply ? ["--apply"] : []),
        ...(copy ? ["--copy"] : []),
        ...(shards === undefined ? [] : ["--shards", shards]),
      ];
      for (const service of SERVICES) {
        const env = environmentFor(service, environment);
        const program = [...process.execArgv, fileURLToPath(programOf(service)), ...args];
        const child = spawn(process.execPath, program, { env, stdio: "inherit" });
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const [code] = (await once(child, "close")) as [number | null];
        if (code !== EXIT.ok) return code ?? EXIT.failure;
      }
      return EXIT.ok;
    },
  );
}
