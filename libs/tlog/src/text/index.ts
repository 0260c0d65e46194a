// `@annals/tlog/text`: notes, keys, checkpoints and policies in every runtime. Imported by the SDK, which
// answers with WebCrypto what they ask of the runtime. with-node.ts answers the same with Node. It must
// never import from Node.

export {
  checkNote,
  type NoteCheck,
  type Signed,
  type SignatureQuestion,
  type Uncounted,
} from "./check-note.ts";
export { readCheckpoint } from "./checkpoint.ts";
export { hexOf, utf8 } from "./encoding.ts";
export { type Note, parseNote } from "./note.ts";
export { MAX_POLICY_BYTES, type Policy, readPolicy } from "./policy.ts";
export { meetsQuorum } from "./quorum.ts";
export { runAsync } from "./steps.ts";
export { TlogError } from "./tlog-error.ts";
export { isKeyName, KEY_TYPE, makeAccountKey, type VerifierKey } from "./vkey.ts";
