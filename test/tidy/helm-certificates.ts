// What the chart's own certificates must be. Called by helm.test.ts with the rendered manifests.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect } from "vitest";
import type { Node } from "../../deploy/generate/sources.ts";

/**
 * One authority, which no pod has, and for each service a certificate of its own name in its own pods only.
 */
export function checkCertificates(objects: Node[]): void {
  const secrets = new Map(
    objects
      .filter(({ kind, type }) => kind === "Secret" && type === "kubernetes.io/tls")
      .map((each) => [each["metadata"].name, each["data"]]),
  );
  expect(secrets.size).toBe(6);
  const pem = (data: Node, name: string) => Buffer.from(data[name], "base64").toString();
  const authority = new X509Certificate(pem(secrets.get("annals-authority"), "tls.crt"));
  for (const deployment of objects.filter(({ kind }) => kind === "Deployment")) {
    const service = deployment["metadata"].labels["app.kubernetes.io/component"];
    const { containers, volumes } = deployment["spec"].template.spec;
    const mounted = (volumes as Node[]).flatMap((each) => each["secret"]?.secretName ?? []);
    const own = `annals-${service}-tls`;
    expect(mounted.filter((name) => secrets.has(name))).toStrictEqual([own]);
    const data = secrets.get(own);
    expect(containers[0].env.map((each: Node) => each["name"])).toEqual(
      expect.arrayContaining(["CA", "CERT", "KEY"].map((part) => `ANNALS_TLS_${part}_FILE`)),
    );
    const certificate = new X509Certificate(pem(data, "tls.crt"));
    expect(certificate.subjectAltName).toBe(`DNS:${service}.annals.internal`);
    expect(certificate.checkPrivateKey(createPrivateKey(pem(data, "tls.key")))).toBe(true);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(pem(data, "ca.crt")).toBe(pem(secrets.get("annals-authority"), "tls.crt"));
  }
}
