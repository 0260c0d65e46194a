export * from "./authority.ts";
export * from "./service-certificates.ts";
