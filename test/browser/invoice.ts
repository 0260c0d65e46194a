// An event as a client sends it, with all of its parts. Used by the tests of this folder and by measure.ts.

export const INVOICE = {
  action: "invoice.update",
  actor: { id: "u_1", type: "user", meta: { name: "Ada" } },
  target: { id: "inv_9", type: "invoice", meta: { number: "2026-0009" } },
  context: { ip: "203.0.113.7" },
  diff: {
    before: { total: 1200, lines: [{ name: "Paper", price: 10 }], note: "old" },
    after: { total: 1250, lines: [{ name: "Paper", price: 12 }], paid: true },
  },
  metadata: { request: "r-77" },
};
