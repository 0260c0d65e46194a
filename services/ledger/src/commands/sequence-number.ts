// The value of an option that is a sequence number. Called by the commands.

export function asSequenceNumber(text: string): bigint {
  if (!/^[1-9]\d{0,15}$/.test(text) || Number(text) > Number.MAX_SAFE_INTEGER)
    throw new Error("must be a sequence number, 1 or more");
  return BigInt(text);
}
