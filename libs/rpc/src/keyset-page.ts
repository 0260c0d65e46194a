// One page of a list, newest first. Its cursor is the key of its last row: where the list goes on. Called by
// RPC handlers. It must never read more than one row beyond the page.

import { invalid } from "@annals/errors";

const MAX_LIMIT = 100;
const VERSION = "1.";
/** A time of creation, and an id. */
const CREATION = /^([0-9TZ:.-]{27})\.([a-z]+_[0-9a-z]{1,64})$/;

export interface PageRequest {
  readonly limit: number;
  /** The `next` of the page before; "" for the first one. */
  readonly after: string;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string;
}

/** What orders a list. */
export interface PageKey<Row, Key> {
  /** The key that the first page is read with. */
  readonly first: Key;
  /** The key of a row as text. */
  readonly of: (row: Row) => string;
  /** Undefined for what cannot be such a text. */
  readonly read: (text: string) => Key | undefined;
  /**
   * Whether a row is not an item but a marker: where a bounded read stopped before the page was full.
   */
  readonly isEnd?: ((row: Row) => boolean) | undefined;
}

/** `read` is given where to go on, and how many rows to read. */
export async function pageBy<Row, Key>(
  { after, limit }: PageRequest,
  key: PageKey<Row, Key>,
  read: (key: Key, limit: number) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  if (limit < 1 || limit > MAX_LIMIT) {
    throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
  }
  // One row more than the limit shows whether there is a next page.
  const found = await read(after === "" ? key.first : keyIn(after, key), limit + 1);
  const isEnd = (row: Row): boolean => key.isEnd?.(row) === true;
  const listed = found.filter((row) => !isEnd(row));
  const rows = listed.slice(0, limit);
  const last = listed.length > limit ? rows.at(-1) : found.find(isEnd);
  return { rows, next: last ? cursorOf(key.of(last)) : "" };
}

type Created = { readonly created_at: string; readonly id: string };
type Creation = readonly [createdAt: string | null, id: string | null];

/** Pages by the time of creation and the id, which has the prefix. The first page is read with nulls. */
export function keysetPage<Row extends Created>(
  request: PageRequest,
  prefix: string,
  read: (...params: [...Creation, limit: number]) => Promise<readonly Row[]>,
  isEnd?: PageKey<Row, Creation>["isEnd"],
): Promise<Page<Row>> {
  const key: PageKey<Row, Creation> = {
    isEnd,
    first: [null, null],
    of: ({ created_at: createdAt, id }) => `${createdAt}.${id}`,
    read: (text) => {
      const [, createdAt = "", id = ""] = CREATION.exec(text) ?? [];
      return id.startsWith(prefix) && id !== "" ? [createdAt, id] : undefined;
    },
  };
  return pageBy(request, key, (creation, limit) => read(...creation, limit));
}

function cursorOf(text: string): string {
  return Buffer.from(`${VERSION}${text}`).toString("base64url");
}

/** Throws `invalid` for the field as clients know it: they get this text and send it back as `cursor`. */
function keyIn<Key>(after: string, { read }: Pick<PageKey<never, Key>, "read">): Key {
  const text = Buffer.from(after, "base64url").toString("latin1");
  // Node ignores characters that are not base64.
  const isOurs = /^[\w-]+$/.test(after) && text.startsWith(VERSION);
  const key = isOurs ? read(text.slice(VERSION.length)) : undefined;
  if (key === undefined)
    throw invalid({ field: "cursor", message: "must be the next_cursor of an earlier page" });
  return key;
}
