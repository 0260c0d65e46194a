export { checkpointText } from "./text/checkpoint.ts";
export { EMPTY_ROOT, entryHash, HASH_BYTES, nodeHash, splitHashes } from "./hash.ts";
export { type FullTile, fullTiles, type ReadPartial, tileRoot } from "./full-tiles.ts";
export { HeadMap, MAX_MAP_CHAINS } from "./head-map.ts";
export { type Head, headRecord, MAX_MAP_DEPTH, parseHeadRecord } from "./head-record.ts";
export { type Der, DER_TAG, elementsIn, expectTag, oidOf, TimeStampFault, within } from "./der.ts";
export { originOf } from "./origin.ts";
export { pathFromBuckets } from "./bucket-path.ts";
export { type Bucket, bucketOf, readBuckets, rootOfBuckets } from "./map-buckets.ts";
export { entryText, type LogEntry, MAX_ENTRY_BYTES, parseEntry } from "./log-entry.ts";
export { type MapPath, type PathEnd, verifyAbsence, verifyHead } from "./map-path.ts";
export { MAX_NOTE_BYTES, type Note, type NoteSignature, noteText, parseNote } from "./text/note.ts";
export { type NextEntry, nextEntry } from "./next-entry.ts";
export type { Group, Policy, Witness } from "./text/policy.ts";
export { parseProofText, type ProofText, proofText } from "./proof-text.ts";
export {
  MAX_PROOF_HASHES,
  proveConsistency,
  proveInclusion,
  type ReadNode,
  rootFromNodes,
  verifyConsistency,
  verifyInclusion,
} from "./proofs.ts";
export { type Cosignature, meetsQuorum, quorumTime } from "./text/quorum.ts";
export { cosign, type NoteSigner, noteSigner } from "./sign-note.ts";
export { readNodes, type ReadTile, tileAt, tilesOf } from "./tile-nodes.ts";
export { parseTilePath, TILE_WIDTH, type TilePath, tilePath } from "./tile-path.ts";
export { readTimeStamp, stampedTime, TIME_STAMP_INFO } from "./time-stamp.ts";
export { TlogError, type TlogReason } from "./text/tlog-error.ts";
export { append, EMPTY_TREE, type Frontier, frontierOf, rootOf } from "./tree.ts";
export type { NoteCheck, Signed, Uncounted } from "./text/check-note.ts";
export { KEY_TYPE, type VerifierKey, vkeyOf } from "./text/vkey.ts";
export {
  accountKey,
  type Checkpoint,
  keyOf,
  parseCheckpoint,
  parsePolicy,
  parseVkey,
  verifyNote,
} from "./with-node.ts";
export { TileNodes, withTiles } from "./with-tiles.ts";
