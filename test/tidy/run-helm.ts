// Runs helm on the chart, for helm.test.ts.

import { execFileSync } from "node:child_process";
import { parseAllDocuments } from "yaml";
import { type Node, ROOT } from "../../deploy/generate/sources.ts";

export const CHART = "helm/annals";

/** From ANNALS_TEST_HELM or the PATH. */
export function findHelm(): string | undefined {
  const helm = process.env["ANNALS_TEST_HELM"] || "helm";
  try {
    execFileSync(helm, ["version"], { stdio: "ignore" });
    return helm;
  } catch {
    return undefined;
  }
}

/** Throws what helm says where it refuses. */
export function render(helm: string, values?: string, ...more: string[]): Node[] {
  const given = values === undefined ? [] : ["-f", values];
  const args = ["template", "annals", CHART, "--kube-version", "1.33.0", ...given, ...more];
  const text = execFileSync(helm, args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return (document.toJS() as Node | null) ?? [];
  });
}
