// What the dashboard takes of the SDK: its routes, without track() and what verifies. It is not a part of the
// package that is published.

export { Routes } from "./routes.ts";
export { Transport } from "./transport.ts";
