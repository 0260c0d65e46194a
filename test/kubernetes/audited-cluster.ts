// A cluster whose API server sends its audit log to Annals with the policy, the kubeconfig and the flags of
// docs/kubernetes-audit.md, and writes the same to a file. Started by audit.test.ts. The cluster that runs
// already is ended first, and one without these flags is started in its place at the end. It must never
// change what the page says but for addresses, paths, and what a test cannot wait for.

import { execFile } from "node:child_process";
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const PAGE = resolve(import.meta.dirname, "../../docs/kubernetes-audit.md");
/** Where the page has its files. */
const FOLDER_OF_PAGE = "/etc/kubernetes/audit";
const MAX_OUTPUT = 256 * 1024 * 1024;
const FINAL = ["ResponseComplete", "Panic"];

/** The page advises against it: here, what is secret has to be masked by Annals. */
export const RECORDED = "recorded";
const RECORDS_SECRETS = `
  - level: RequestResponse
    namespaces: [${RECORDED}]
    resources: [{group: "", resources: [secrets, serviceaccounts/token]}]
  - level: RequestResponse
    resources: [{group: authentication.k8s.io, resources: [tokenreviews]}]`;

export interface Receiver {
  /** What the API server is told in place of the address of the page. */
  readonly url: string;
  /** PEM of its authority. */
  readonly authority: string;
  readonly key: string;
}

export class AuditedCluster {
  readonly #program: string;
  readonly #folder: string;
  readonly #wasRunning: boolean;

  private constructor(program: string, folder: string, wasRunning: boolean) {
    this.#program = program;
    this.#folder = folder;
    this.#wasRunning = wasRunning;
  }

  /** `program` is the one of ANNALS_TEST_CLUSTER, `flags` come beside those of the page. */
  static async start(
    program: string,
    receiver: Receiver,
    flags: readonly string[],
  ): Promise<AuditedCluster> {
    const isRunning = await promisify(execFile)(program, ["status"]).then(
      () => true,
      () => false,
    );
    const folder = mkdtempSync(join(tmpdir(), "annals-audited-"));
    const cluster = new AuditedCluster(program, folder, isRunning);
    try {
      if (isRunning) await cluster.#run("", "down");
      const given = [...cluster.#configure(receiver), ...flags];
      const env = { ...process.env, ANNALS_CLUSTER_APISERVER_FLAGS: given.join(" ") };
      await promisify(execFile)(program, ["up"], { env });
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#run("", "down");
    rmSync(this.#folder, { recursive: true });
    if (this.#wasRunning) await this.#run("", "up");
  }

  kubectl(...words: string[]): Promise<string> {
    return this.#run("", "kubectl", ...words);
  }

  /** With a text on standard input. */
  kubectlWith(input: string, ...words: string[]): Promise<string> {
    return this.#run(input, "kubectl", ...words);
  }

  helm(...words: string[]): Promise<string> {
    return this.#run("", "helm", ...words);
  }

  /** Events that the API server has dropped, by its own count. */
  async dropped(): Promise<number> {
    const metrics = await this.kubectl("get", "--raw", "/metrics");
    const counters = metrics.matchAll(/^apiserver_audit_error_total\{[^}]*\} (\S+)$/gm);
    return [...counters].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** Megabytes that the API server holds. */
  async memory(): Promise<number> {
    const script = "grep VmRSS /proc/$(pidof kube-apiserver)/status";
    const line = await this.#run("", "exec", "sh", "-c", script);
    return Number(/(\d+) kB/.exec(line)?.[1]) / 1024;
  }

  /** The ids of all requests that have ended, by its own file. */
  async ended(): Promise<string[]> {
    const ids: string[] = [];
    for await (const line of this.#lines()) {
      // The last line may be one that is being written.
      const event = parsed(line);
      if (event !== undefined && isLast(event)) ids.push(event.auditID);
    }
    return ids;
  }

  /** Whether its own file has this text. */
  async hasWritten(text: string): Promise<boolean> {
    for await (const line of this.#lines()) if (line.includes(text)) return true;
    return false;
  }

  get #log(): string {
    return join(this.#folder, "audit.log");
  }

  #lines(): AsyncIterable<string> {
    return createInterface({ input: createReadStream(this.#log), crlfDelay: Infinity });
  }

  /** Writes the files of the page, and returns its flags. */
  #configure({ authority, key, url }: Receiver): string[] {
    const page = readFileSync(PAGE, "utf8");
    const [policy = "", kubeconfig = ""] = blocks(page, "yaml");
    const [flags = ""] = blocks(page, "text");
    const here = (text: string) => text.replaceAll(FOLDER_OF_PAGE, this.#folder);
    writeFileSync(
      join(this.#folder, "policy.yaml"),
      replaced(policy, "rules:", `rules:${RECORDS_SECRETS}`),
    );
    writeFileSync(join(this.#folder, "ca.crt"), authority);
    const server = replaced(kubeconfig, "https://annals.example.com/v1/intake/kubernetes", url);
    const trusting = replaced(server, "# certificate-authority:", "certificate-authority:");
    const withKey = replaced(trusting, "{token: KEY}", `{token: ${key}}`);
    writeFileSync(join(this.#folder, "annals.kubeconfig"), here(withKey), { mode: 0o600 });
    return [...here(flags).trim().split("\n"), `--audit-log-path=${this.#log}`];
  }

  async #run(input: string, ...words: string[]): Promise<string> {
    const running = promisify(execFile)(this.#program, words, { maxBuffer: MAX_OUTPUT });
    // A program may end without reading it.
    running.child.stdin?.on("error", () => {}).end(input);
    return (await running).stdout;
  }
}

function blocks(page: string, language: string): string[] {
  const found = page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  return [...found].map(([, text = ""]) => text);
}

/** Fails where the page has changed. */
function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`${PAGE} has lost ${from}`);
  return text.replace(from, to);
}

interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly user?: { readonly username?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** Whether it is the last one of its request. Refused credentials have no later stage than this. */
function isLast({ responseStatus, stage, user }: AuditEvent): boolean {
  if (FINAL.includes(stage)) return true;
  return responseStatus?.code === 401 && user?.username === undefined;
}

function parsed(line: string): AuditEvent | undefined {
  try {
    return JSON.parse(line) as AuditEvent;
  } catch {
    return undefined;
  }
}
