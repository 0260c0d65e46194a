// Requests of many at a time before and after something ends, by which a test shows that none that began
// after the end was answered with data. Called by the flows in which people lose a session or a role.

const WORKERS = 16;

interface Counted {
  /** Answers to requests that had begun before the end, by their status. */
  readonly before: Readonly<Record<number, number>>;
  /** Answers to the others. */
  readonly after: Readonly<Record<number, number>>;
  /** Requests that were answered before the end began, at least, and that began after it. */
  readonly requests: number;
}

/** `read` resolves to the status of a request. Each worker makes `each` requests before the end and after. */
export async function loadUntilEnd(
  each: number,
  read: (worker: number) => Promise<number>,
  end: () => Promise<unknown>,
): Promise<Counted> {
  const before: Record<number, number> = {};
  const after: Record<number, number> = {};
  const counts = { before: 0, hasEnded: false };
  const requests = WORKERS * each;
  const enough = Promise.withResolvers<void>();
  const work = async (worker: number) => {
    for (let left = each; left > 0;) {
      const { hasEnded } = counts;
      const status = await read(worker);
      const statuses = hasEnded ? after : before;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (hasEnded) left -= 1;
      else if ((counts.before += 1) === requests) enough.resolve();
    }
  };
  const working = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  await enough.promise;
  await end();
  counts.hasEnded = true;
  await working;
  return { before, after, requests };
}
