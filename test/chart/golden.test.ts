// Guarantee: the chart renders what test/chart/golden has, and its own certificates and passwords are good. A
// change of the chart is reviewed there: `npm run generate` with helm on the PATH, or ANNALS_TEST_HELM naming
// it, writes it. Without helm nothing is rendered, and this test says so.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  CASES,
  findHelm,
  goldenPath,
  render,
  renderedCase,
} from "../../deploy/generate/chart-renderings.ts";
import { type Node, ROOT, SERVICES } from "../../deploy/generate/sources.ts";

/** One or none. */
const HELM = [findHelm(process.env)].filter((helm) => helm !== undefined);

test("is rendered where helm is there", () => {
  const [helm] = HELM;
  process.stderr.write(
    helm ? `rendered with ${helm}\n` : "helm is not here: nothing is rendered\n",
  );
  expect(HELM.length).toBeLessThan(2);
});

describe.each(HELM)("by %s", (helm) => {
  test.each(CASES)("$name is what the chart renders: `npm run generate` makes it", (each) => {
    const golden = readFileSync(join(ROOT, goldenPath(each.name)), "utf8");
    expect(renderedCase(helm, each)).toBe(golden);
  });

  const secrets = new Map(
    render(helm, []).flatMap(({ kind, metadata, data }): [string, Node][] =>
      kind === "Secret" ? [[metadata.name, data]] : [],
    ),
  );
  const textIn = (secret: string, key: string) =>
    Buffer.from(secrets.get(secret)?.[key], "base64").toString();

  test.each(SERVICES)(
    "%s has a certificate of its own name, of the release's authority",
    (name) => {
      const [own, authority] = [`annals-${name}-tls`, "annals-authority"];
      const certificate = new X509Certificate(textIn(own, "tls.crt"));
      expect(certificate.subjectAltName).toBe(`DNS:${name}.annals.internal`);
      expect(certificate.checkPrivateKey(createPrivateKey(textIn(own, "tls.key")))).toBe(true);
      expect(certificate.checkIssued(new X509Certificate(textIn(authority, "tls.crt")))).toBe(true);
    },
  );

  test("no password of NATS begins with a digit, which NATS would read as a number", () => {
    for (const name of ["ledger", "export", "webhook-dispatcher"])
      expect(textIn("annals-nats", `${name}-password`)).toMatch(/^p/);
  });
});
