export * from "./annals-error.ts";
export * from "./codec.ts";
export * from "./complete.ts";
export * from "./error-response.ts";
