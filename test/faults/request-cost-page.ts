// The page of the docs about what requests cost, from what was measured. Called by request-cost.test.ts.

import { availableParallelism } from "node:os";
import { type Cpu, sumOf } from "./cpu-of.ts";
import type { CostCase, Sizes } from "./request-world.ts";

interface Measured {
  readonly of: Pick<CostCase, "maxMs" | "route" | "what">;
  /** Of the answer. */
  readonly bytes: number;
  readonly cpu: Cpu;
}

export function costPage(measured: readonly Measured[], { events, workEvents }: Sizes): string {
  const rows = measured
    .toSorted((one, other) => sumOf(other.cpu) - sumOf(one.cpu))
    .map(({ of, bytes, cpu }) => {
      const others = cpu.keys + cpu["webhook-dispatcher"] + cpu.export;
      const figures = [cpu.gateway, cpu.ledger, others, cpu.postgres, sumOf(cpu)].map(ms);
      const route = of.route.replaceAll(/:(\w+)/g, "{$1}");
      return `| \`${route}\` | ${of.what} | ${kilobytes(bytes)} | ${figures.join(" | ")} | ${of.maxMs.toLocaleString("en")} |`;
    });
  return `# What a request costs

This page shows the CPU time of the dearest request of each route that is known, in milliseconds, and its bound. A test writes it:
\`npm run test:faults -- test/faults/request-cost.test.ts\`.

- Measured on ${availableParallelism()} cores, one replica of each service, on a chain of
  ${events.toLocaleString("en")} events. Each figure is an average after a warm-up,
  without what the services use while they have no request.
- A list reads a bounded number of rows and bytes, so its cost does not grow with the chain. Where nothing is found, the answer
  is an empty page with \`has_more\` and a cursor.
- No request of a widget token may cost more than 50 ms: any visitor may hold one.
- A request whose bound is passed fails the test. A route without a case fails \`npm test\`, and so does an RPC of the
  services that has neither a case nor a reason.
- Exports and replays are of ${workEvents.toLocaleString("en")} events, and measured until their work has ended.
  What an account may have of them in a day is
  [limited by its plan](../operators/multi-tenant.md#plans).
- A verification reads the whole chain. A ledger runs two statements of verifications at a time, and accounts take turns.

| Route | Request | Answer | gateway | ledger | keys, export, dispatcher | PostgreSQL | Sum | At most |
|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function kilobytes(bytes: number): string {
  return bytes < 1_000
    ? `${bytes} B`
    : `${(bytes / 1_000).toLocaleString("en", { maximumFractionDigits: 0 })} KB`;
}
