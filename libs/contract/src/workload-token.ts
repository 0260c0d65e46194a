// The tokens of workloads: JWTs that the platform of a program has made and signed. Called by the gateway,
// which tells them from API keys by their shape, and by keys, which verifies them.

/** Characters of a token. */
export const MAX_WORKLOAD_TOKEN = 4_096;

/** Minutes until a token is verified again. */
export const WORKLOAD_TOKEN_MINUTES = 10;

/** Workloads of one account. */
export const MAX_WORKLOADS = 200;

/** Live tokens of all workloads of one account: each has a row and rate windows. */
export const MAX_WORKLOAD_TOKENS = 10_000;

/** Claims of one workload, besides its subject. */
export const MAX_WORKLOAD_CLAIMS = 10;

/** Three parts in base64url, which no secret of Annals has. */
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Whether `text` may be a token of a workload. */
export function isPlausibleWorkloadToken(text: string): boolean {
  return text.length <= MAX_WORKLOAD_TOKEN && SHAPE.test(text);
}
