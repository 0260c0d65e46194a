export { BadLine } from "./bad-line.ts";
export { verifyFile } from "./verify-file.ts";
export type { Report, VerifyOptions } from "./verify-source.ts";
