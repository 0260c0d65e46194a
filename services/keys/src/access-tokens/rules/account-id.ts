// The shape of an account's id. One that comes from a client and cannot be one need not reach the database.

const SHAPE = /^acct_[0-9A-Za-z_]{1,64}$/;

export function isAccountId(text: string): boolean {
  return SHAPE.test(text);
}
