// A service that only follows the stack's contract: ports, admin server, migrate, SIGTERM, the end of stdin.
// The stack's tests run it in place of the real services, whose faults must not fail the supervisor's tests.

import { createServer } from "node:http";

/**
 * Runs the verb of the command line, with its options. Its main server answers every request with its pid and
 * ANNALS_* variables.
 */
export function runFakeService(
  env: Readonly<Record<string, string | undefined>>,
  verb: string | undefined,
  ...options: readonly string[]
): void {
  const variables = Object.fromEntries(
    Object.entries(env).filter(([name]) => name.startsWith("ANNALS_")),
  );
  if (env["ANNALS_FAKE_REFUSES"] === verb) {
    process.stderr.write("ANNALS_FAKE_REFUSES is wrong\n");
    process.exitCode = 2;
    return;
  }
  process.stdout.write(`${verb} ${JSON.stringify(variables)}\n`);
  if (verb === "migrate") {
    process.exitCode = env["ANNALS_FAKE_MIGRATION"] === "fails" ? 1 : 0;
    return;
  }
  const main = createServer((_request, response) =>
    response.end(JSON.stringify({ pid: process.pid, variables })),
  );
  const admin = createServer((request, response) => {
    response.statusCode = request.url === "/readyz" && main.listening ? 200 : 503;
    response.end();
  });
  main.listen(Number(env["ANNALS_PORT"]), env["ANNALS_HOST"]);
  admin.listen(Number(env["ANNALS_ADMIN_PORT"]), env["ANNALS_ADMIN_HOST"]);
  const close = (why: string) => {
    process.stdout.write(`closing: ${why}\n`);
    for (const server of [main, admin]) {
      server.close();
      server.closeAllConnections();
    }
    process.stdin.destroy();
  };
  process.once("SIGTERM", () => close("SIGTERM"));
  if (options.includes("--exit-with-stdin"))
    process.stdin.once("end", () => close("stdin ended")).resume();
}
