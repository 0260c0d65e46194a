// The OpenAPI document as the generators of SDKs read it. Used by those of python-*.ts and go-*.ts.

import { openApiDocument } from "@annals/gateway/src/openapi/document.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- a document is looked into freely
export type Json = any;

/** The document, which needs no client, and of the limits no value. */
export function documentOf(): Json {
  return openApiDocument({ limits: {} } as never);
}

/** Its operations, each with its method and its path. */
export function operationsOf({ paths }: Json): Json[] {
  return Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ ...operation, method, path })),
  );
}
