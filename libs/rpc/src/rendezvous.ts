// Which server the calls of a key go to: rendezvous hashing, so that every client chooses the same one, and a
// server that comes or goes moves only its own keys. Called by affinity-balancer.ts. It is pure.

/** FNV-1a, 32 bits. */
const OFFSET_BASIS = 0x81_1c_9d_c5;
const PRIME = 0x01_00_01_93;

/** `seed` continues the hash of another text. */
export function hash32(text: string, seed: number = OFFSET_BASIS): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  }
  return hash >>> 0;
}

/** The highest of a key wins. The bits are mixed once more: FNV alone differs too little in the last ones. */
function weightOf(keyHash: number, serverHash: number): number {
  let mixed = keyHash ^ serverHash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85_eb_ca_6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * The server with the highest weight of those that `isFree` admits; of all, if it admits none. Undefined
 * for an empty list.
 */
export function highest<Server extends { readonly hash: number }>(
  key: string,
  servers: readonly Server[],
  isFree: (server: Server) => boolean,
): Server | undefined {
  const keyHash = hash32(key);
  let [best, bestFree]: [Server | undefined, Server | undefined] = [undefined, undefined];
  let [most, mostFree] = [-1, -1];
  for (const server of servers) {
    const weight = weightOf(keyHash, server.hash);
    if (weight > most) [best, most] = [server, weight];
    if (weight > mostFree && isFree(server)) [bestFree, mostFree] = [server, weight];
  }
  return bestFree ?? best;
}
