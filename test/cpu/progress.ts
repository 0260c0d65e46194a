// What a run of tests prints while it goes on: how many files of each project have ended, and which one has
// run longest. Called by the reporter beside it.

import type { TestModule, TestSpecification } from "vitest/node";

export class Progress {
  readonly #projects = new Map<string, { done: number; readonly all: number }>();
  /** When each file that runs began. */
  readonly #running = new Map<string, number>();

  begin(files: readonly TestSpecification[]): void {
    for (const { project } of files) {
      const all = (this.#projects.get(project.name)?.all ?? 0) + 1;
      this.#projects.set(project.name, { done: 0, all });
    }
  }

  started({ relativeModuleId }: TestModule): void {
    this.#running.set(relativeModuleId, performance.now());
  }

  ended({ project, relativeModuleId }: TestModule): void {
    this.#running.delete(relativeModuleId);
    const counts = this.#projects.get(project.name);
    if (counts) counts.done += 1;
  }

  /** One line. */
  text(): string {
    const projects = [...this.#projects].map(([name, { all, done }]) => `${name} ${done}/${all}`);
    const [longest] = [...this.#running].toSorted(([, a], [, b]) => a - b);
    const running = longest
      ? `; running for ${Math.round((performance.now() - longest[1]) / 1_000)} s: ${longest[0]}`
      : "";
    return `files: ${projects.join(", ")}${running}`;
  }
}
