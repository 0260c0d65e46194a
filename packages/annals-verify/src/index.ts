export { BadLine } from "./bad-line.ts";
export { verifyFile } from "./verify-file.ts";
export type { Report, VerifyOptions } from "./verify-source.ts";
export { EvidenceFault, type EvidenceReason, NotChecked } from "./evidence/evidence-fault.ts";
export {
  DEFAULT_MAX_LAG_S,
  type EvidenceOptions,
  type EvidenceReport,
  verifyEvidence,
} from "./evidence/verify-evidence.ts";
export { type FollowOptions, followKeys, type FollowReport } from "./log-keys/follow-keys.ts";
export { watchLog, type WatchOptions, type WatchReport } from "./watch/watch-log.ts";
