// Heads of chains that an operator keeps outside the database, and what is wrong with a chain that no longer
// contains its kept head. Called by the commands `heads` and `check-heads`.

export interface KeptHead {
  readonly accountId: string;
  readonly sequenceNumber: string;
  /** Hash in hexadecimal. */
  readonly hash: string;
}

const SEQUENCE_NUMBER = /^[1-9]\d{0,17}$/;
const HASH = /^[0-9a-f]{64}$/;

/** One line of the file of heads. */
export function headLine({ accountId, sequenceNumber, hash }: KeptHead): string {
  return `{"account_id":${JSON.stringify(accountId)},"sequence_number":${sequenceNumber},"hash":"${hash}"}\n`;
}

/** Reads a file of heads. Throws an error that names the line and the member. */
export function readHeads(text: string): KeptHead[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => (line.trim() === "" ? [] : [readHead(line, at + 1)]));
}

function readHead(line: string, number: number): KeptHead {
  const read = objectIn(line);
  if (!read) throw new Error(`line ${number} is not a JSON object`);
  const { account_id: accountId, sequence_number: sequence, hash } = read;
  if (typeof accountId !== "string" || accountId === "")
    throw new Error(`line ${number}: account_id must be a string`);
  if (!SEQUENCE_NUMBER.test(String(sequence)))
    throw new Error(`line ${number}: sequence_number must be a positive integer`);
  if (typeof hash !== "string" || !HASH.test(hash))
    throw new Error(`line ${number}: hash must be 64 hexadecimal digits in lower case`);
  return { accountId, sequenceNumber: String(sequence), hash };
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(line);
    return typeof read === "object" && read !== null ? { ...read } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what is wrong if the chain does not contain the head; undefined if it does. */
export function headFault(
  { accountId, sequenceNumber, hash }: KeptHead,
  found: { readonly last: string; readonly hash: string | null } | undefined,
): string | undefined {
  if (!found) return `${accountId} is missing: its chain had ${sequenceNumber} events`;
  if (found.hash === hash) return undefined;
  if (found.hash === null && BigInt(found.last) >= BigInt(sequenceNumber))
    return `${accountId} lacks its event ${sequenceNumber}, and ends at ${found.last}`;
  if (found.hash === null) {
    return `${accountId} went back: its chain had ${sequenceNumber} events and ends at ${found.last}`;
  }
  return `${accountId} differs: its event ${sequenceNumber} has the hash ${found.hash}, and had ${hash}`;
}
