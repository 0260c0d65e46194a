// The longest tasks of a page's main thread, from a trace of Chromium. Called by the measurements of this
// folder and by the test of the check in the browser.

interface TraceEvent {
  readonly name: string;
  readonly tid: number;
  /** Microseconds, of time and of CPU. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

export interface LongestTasks {
  /** The five longest, in milliseconds. */
  readonly time: readonly number[];
  /** On a machine that does other work too, only this is the page's own. */
  readonly cpu: readonly number[];
}

/** `trace` is what `browser.stopTracing()` resolves to, of the category `toplevel`. */
export function longestTasks(trace: Buffer): LongestTasks {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ tid }) => tid),
  );
  const tasks = traceEvents.filter(({ name, tid }) => name.endsWith("RunTask") && mains.has(tid));
  const longest = (microseconds: readonly (number | undefined)[]) =>
    microseconds
      .map((each = 0) => Math.round(each / 1_000))
      .toSorted((a, b) => b - a)
      .slice(0, 5);
  return {
    time: longest(tasks.map(({ dur }) => dur)),
    cpu: longest(tasks.map(({ tdur }) => tdur)),
  };
}
