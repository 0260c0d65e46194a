// The page of the docs about what requests cost, from what was measured. Called by request-cost.test.ts.

import { availableParallelism } from "node:os";
import { type Cpu, sumOf } from "./cpu-of.ts";
import type { CostCase } from "./request-cases.ts";

interface Measured {
  readonly of: Pick<CostCase, "what" | "isWidget">;
  /** Of the answer. */
  readonly bytes: number;
  readonly cpu: Cpu;
}

export function costPage(measured: readonly Measured[], events: number): string {
  const rows = measured
    .toSorted((one, other) => sumOf(other.cpu) - sumOf(one.cpu))
    .map(({ of, bytes, cpu }) => {
      const others = cpu.keys + cpu["webhook-dispatcher"] + cpu.export;
      const figures = [cpu.gateway, cpu.ledger, others, cpu.postgres, sumOf(cpu)].map(ms);
      return `| ${of.what} | ${kilobytes(bytes)} | ${figures.join(" | ")} |`;
    });
  return `# What a request costs

This page shows the CPU time of the dearest request of each route that is known, in milliseconds. A test writes it:
\`npm run test:faults -- test/faults/request-cost.test.ts\`.

- Measured on ${availableParallelism()} cores, one replica of each service, on a chain of
  ${events.toLocaleString("en")} events. Each figure is an average after a warm-up. It includes what the services do in the background.
- A list reads a bounded number of rows and bytes, so its cost does not grow with the chain. Where nothing is found, the answer
  is an empty page with \`has_more\` and a cursor.
- No request of a widget token may cost more than 50 ms: any visitor may hold one.
- A verification reads the whole chain. A ledger runs two statements of verifications at a time, and accounts take turns.

| Request | Answer | gateway | ledger | keys, export, dispatcher | PostgreSQL | Sum |
|---|---|---|---|---|---|---|
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
