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

CPU time of the dearest known request of each route, in milliseconds, and its bound. A test writes this page:
\`npm run test:faults -- test/faults/request-cost.test.ts\`. A request above its bound fails it.

- Averages after a warm-up, on ${availableParallelism()} cores, one replica of each service, a chain of
  ${events.toLocaleString("en")} events, without what idle services use. A verification reads the whole chain.
- No request of a widget token may cost more than 50 ms: any visitor may hold one.
- Exports and replays are of ${workEvents.toLocaleString("en")} events, measured until their work has ended.
  [A plan limits](../operators/multi-tenant.md#plans) how many an account has in a day.

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
