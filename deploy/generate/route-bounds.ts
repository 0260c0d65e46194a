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
The upper bounds of one request to each route under \`/v1\`. A request holds what it takes of the shares of its account
([Shares](operators/multi-tenant.md#shares-of-a-gateway)) until its work has ended. [What a request
costs](performance/what-a-request-costs.md) has measured CPU times.

- **Rows** are those that the services read or write, at the limits of an account without a plan.
- **Bytes** are those of the response; for a download, those that the gateway holds at a time. A larger response is an internal
  error, and is not sent. Bodies of requests have [limits of their own](interface.md#3-limits).
- **Time** is how long work goes on. A client that leaves ends the work of a read at once.
- **Causes** is work that goes on after the response, in turns of accounts, with a limit of the account for a day
  ([plans](operators/multi-tenant.md#plans)). A sink causes it only if it begins with stored events.
`.trim();

const KIB = 1024;

/** The whole page. Routes with the same bounds share a row. */
export function routeBoundsPage(): string {
  const routes = new Map<string, string[]>();
  for (const [method, path, , , , bounds] of V1) {
    const cells =
      `${RESOURCES[bounds.resource]} | ${rowsOf(bounds)} | ${bytesOf(bounds)} | ` +
      `${TIMES[bounds.time]} | ${bounds.causes ?? ""} |`;
    const route = `\`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\``;
    routes.set(cells, [...(routes.get(cells) ?? []), route]);
  }
  return (
    [
      "<!-- Made by `npm run generate` of services/gateway/src/v1.ts and bounds.ts: change those. -->",
      "# What one request may cost",
      INTRODUCTION,
      [
        "| Routes | Takes | Rows | Bytes | Time | Causes |",
        "|---|---|---|---|---|---|",
        ...[...routes].map(([cells, sharing]) => `| ${sharing.join(", ")} | ${cells}`),
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
