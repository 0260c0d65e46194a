export { BadLine } from "./bad-line.ts";
export { type Report, verifyFile, type VerifyOptions } from "./verify-file.ts";
