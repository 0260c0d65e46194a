// What tests use that is no package of the project: a test, or a part of one, is left out where it is
// missing. The end of the run names each once, with how to have it. ANNALS_TEST_NEEDS names those whose
// lack fails the run, separated by commas, or `all` of them.

/** What may be missing, and how to have it. */
export const NEEDS = {
  python3: "apt-get install python3",
  "Python 3.10": "apt-get install python3, of 3.10 or newer",
  "tools for Python": "pip and PyPI",
  "servers of Python": "pip, PyPI and a C compiler",
  "python3 with ML-DSA": "pip install cryptography, of a version with ML-DSA",
  "python3 with zstd": "apt-get install zstd",
  "pandas, pyarrow and DuckDB": "pip and PyPI, or ANNALS_TEST_PYTHON",
  "openapi-python-client": "pip and PyPI",
  "Go 1.24": "apt-get install golang, of 1.24 or newer",
  "the race detector of Go": "apt-get install gcc",
  openssl: "apt-get install openssl",
  zstd: "apt-get install zstd",
  tar: "apt-get install tar",
  "programs built with Go": "apt-get install golang, and the Go module proxy",
} as const;

export type Need = keyof typeof NEEDS;

/** Holds what this worker has left out; test/cpu/setup.ts gives it to the reporter. */
const worker = globalThis as { annalsLeftOut?: Set<Need> };

/** Records that something is left out. Throws if it must not be. */
export function leaveOut(need: Need, why = "it is not there"): void {
  const required = (process.env["ANNALS_TEST_NEEDS"] ?? "").split(",");
  if (required.includes("all") || required.includes(need))
    throw new Error(`a test needs ${need}, and ${why}: ${NEEDS[need]}`);
  (worker.annalsLeftOut ??= new Set()).add(need);
}

/** Returns `isThere`, and records what is left out if it is not. */
export function has(need: Need, isThere: boolean): boolean {
  if (!isThere) leaveOut(need);
  return isThere;
}

export function leftOut(): readonly Need[] {
  return [...(worker.annalsLeftOut ?? [])];
}
