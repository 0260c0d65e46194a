// What a process says in its metrics, for tests of the whole system.

/** What a process gives under what begins with `metric` and has `label` in it; of several lines the sum. */
export async function metricOf(
  adminUrl: string | undefined,
  metric: string,
  label = "",
): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return text
    .split("\n")
    .filter((line) => line.startsWith(metric) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
