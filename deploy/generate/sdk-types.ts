// The types of packages/sdk, made from the OpenAPI document. Called by main.ts. It leaves out what the SDK
// does not read: failures, headers of answers.

import { openApiDocument } from "@annals/gateway/src/openapi/document.ts";
import openapiTS, { astToString } from "openapi-typescript";

// oxlint-disable-next-line typescript/no-explicit-any -- a document is looked into freely
type Json = any;

const NOTICE =
  "// Generated from the OpenAPI document by `npm run generate`. Not to be edited.\n\n";

/** The whole file. */
export async function sdkTypes(): Promise<string> {
  // The document needs no client, and of the limits no value.
  const document: Json = openApiDocument({ limits: {} } as never);
  for (const item of Object.values<Json>(document.paths)) {
    for (const operation of Object.values<Json>(item)) {
      operation.responses = Object.fromEntries(
        Object.entries<Json>(operation.responses)
          .filter(([status]) => status.startsWith("2"))
          .map(([status, { headers: _headers, ...answer }]) => [status, answer]),
      );
    }
  }
  const { paths, components, openapi, info } = document;
  const trimmed = { openapi, info, paths, components: { schemas: components.schemas } };
  return `${NOTICE}${astToString(await openapiTS(trimmed, { alphabetize: true }))}`;
}
