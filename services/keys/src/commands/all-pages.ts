// Reads a list to its end for a command that prints all of it. Called by the operator's commands.

/** Rows that are read at a time. */
const PAGE = 100;

interface Page<Row> {
  readonly rows: readonly Row[];
  /** Empty behind the last page. */
  readonly next: string;
}

export async function allPages<Row>(
  read: (page: { readonly limit: number; readonly after: string }) => Promise<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let after = "";
  do {
    const page = await read({ after, limit: PAGE });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== "");
  return rows;
}
