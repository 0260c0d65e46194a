export { BadLine } from "./bad-line.ts";
export { verifyFile } from "./verify-file.ts";
export type { Report, VerifyOptions } from "./verify-source.ts";
export { EvidenceFault, type EvidenceReason, NotChecked } from "./evidence/evidence-fault.ts";
export {
  type EvidenceOptions,
  type EvidenceReport,
  verifyEvidence,
} from "./evidence/verify-evidence.ts";
