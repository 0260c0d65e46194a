// The page docs/route-bounds.md: what one request to each route may cost, made of v1.ts and bounds.ts of the
// gateway. Called by main.ts.

import type { Bounds } from "@annals/gateway/src/bounds.ts";
import { LIMITS } from "@annals/gateway/src/limits.ts";
import { V1 } from "@annals/gateway/src/v1.ts";

const RESOURCES: Readonly<Record<Bounds["resource"], string>> = {
  slot: "a slot",
  lists: "a slot and a list",
  verifications: "a slot and a verification",
  downloads: "a slot and a download",
};
const TIMES: Readonly<Record<Bounds["time"], string>> = {
  deadline: "10 s",
  sink_test: "42 s",
  verification: `${LIMITS.verifyTimeoutMs / 60_000} min`,
  transfer: "while its client reads 1 KiB/s",
};

const INTRODUCTION = `
This page lists the upper bounds of one request to each route. A request holds what it takes of the shares of its account
([Shares](operators/multi-tenant.md#shares-of-a-gateway)) until its work has ended. Measured CPU times are in
[what a request costs](performance/what-a-request-costs.md).

- **Rows** are those that the services read or write, at the limits of an account without a plan.
- **Bytes** are those of the response; for a download, those that the gateway holds at a time. A larger response is an internal
  error, and is not sent. The body of a request that changes something has a separate limit
  ([Limits](interface.md#3-limits)).
- **Time** is how long work goes on. A client that leaves ends the work of a read at once.
- **Causes** is work that goes on after the response. Workers read the chain for it, accounts take turns, and an account has a limit
  for a day ([plans](operators/multi-tenant.md#plans)). A sink causes it only if it begins with stored events.
`.trim();

const KIB = 1024;

/** The whole page. */
export function routeBoundsPage(): string {
  const rows = V1.map(
    ([method, path, , , , bounds]) =>
      `| \`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\` | ${RESOURCES[bounds.resource]} | ` +
      `${rowsOf(bounds)} | ${bytesOf(bounds)} | ${TIMES[bounds.time]} | ${bounds.causes ?? ""} |`,
  );
  return (
    [
      "<!-- Made by `npm run generate` of services/gateway/src/v1.ts and bounds.ts: change those. -->",
      "# What one request may cost",
      INTRODUCTION,
      [
        "| Route | Takes | Rows | Bytes | Time | Causes |",
        "|---|---|---|---|---|---|",
        ...rows,
      ].join("\n"),
      "",
    ]
      .join("\n\n")
      .trimEnd() + "\n"
  );
}

function rowsOf({ rows }: Bounds): string {
  return rows === "chain" ? "those of the range, 4,096 a statement" : rows.toLocaleString("en");
}

function bytesOf({ bytes }: Bounds): string {
  if (bytes === "body") return "as its body";
  return bytes < KIB * KIB ? `${bytes / KIB} KiB` : `${bytes / KIB / KIB} MiB`;
}
