// A real Collector with a recipe of docs/recipes.md: the files of the page, with the addresses and folders of
// a test. Called by the test of the recipes.

import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { once } from "node:events";
import { ReceiverProcess } from "./receiver-process.ts";

const PAGE = join(import.meta.dirname, "../../docs/recipes.md");
/** The names of the page for what a test has elsewhere. */
const OF_PAGE = {
  url: "https://annals.example.com",
  storage: "/var/lib/otelcol",
  logs: "/var/log",
};
const GATE = "--feature-gates=stanza.synchronousLogEmitter";

/** The files that the page shows, by their names: the first line of a block is a comment with it. */
export function recipeFiles(): ReadonlyMap<string, string> {
  const blocks = readFileSync(PAGE, "utf8").matchAll(/^```\w+\n# (\S+)\n([^]*?)^```$/gm);
  return new Map([...blocks].map(([, name = "", text = ""]) => [name, text]));
}

/** Writes a file of the page into the folder of a test, whose sources write their logs below it. */
export async function writeRecipeFile(
  folder: string,
  name: string,
  { more = "", url = "" }: { readonly more?: string; readonly url?: string } = {},
): Promise<string> {
  const text = recipeFiles().get(name);
  if (text === undefined) throw new Error(`docs/recipes.md has no ${name}`);
  const path = join(folder, name);
  const own = text
    .replaceAll(OF_PAGE.url, url)
    .replaceAll(OF_PAGE.storage, join(folder, "storage"))
    .replaceAll(OF_PAGE.logs, join(folder, "logs"));
  await writeFile(path, own + more);
  return path;
}

export class RecipeCollector {
  readonly #folder: string;
  readonly #process: ReceiverProcess;

  private constructor(folder: string, process: ReceiverProcess) {
    this.#folder = folder;
    this.#process = process;
  }

  /** `recipe` is the name of a file without `.yaml`, `url` that of the gateway. */
  static async start(
    program: string,
    { folder, key, recipe, url }: RecipeOptions,
  ): Promise<RecipeCollector> {
    await mkdir(join(folder, "logs", recipe), { recursive: true });
    const files = [
      await writeRecipeFile(folder, "collector.yaml", { url }),
      await writeRecipeFile(folder, `${recipe}.yaml`),
    ];
    const quiet = join(folder, "quiet.yaml");
    // Its port of metrics would be that of other tests.
    await writeFile(quiet, "service: {telemetry: {metrics: {level: none}}}\n");
    const args = [GATE, ...[...files, quiet].map((file) => `--config=file:${file}`)];
    const ready: ConstructorParameters<typeof ReceiverProcess>[2] = async (child, output) => {
      while (!output().includes("Everything is ready")) await once(child.stderr, "data");
    };
    const process = new ReceiverProcess(program, args, ready, { ANNALS_KEY: key });
    const collector = new RecipeCollector(folder, process);
    await process.start();
    return collector;
  }

  /** What it has logged since it was started last. */
  get log(): string {
    return this.#process.output;
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    await this.#process.end(signal);
  }

  /** After {@link end}: the next one of this folder reads all files from their beginning. */
  async forget(): Promise<void> {
    await rm(join(this.#folder, "storage"), { recursive: true });
  }
}

export interface RecipeOptions {
  readonly folder: string;
  readonly key: string;
  readonly recipe: string;
  readonly url: string;
}
