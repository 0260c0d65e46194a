// Makes the types of packages/sdk from the OpenAPI document. Run by `npm run generate`; with `--check`, in
// `npm run check`, it only compares. It leaves out what the SDK does not read: failures, headers of answers.

import { openApiDocument } from "@annals/gateway/src/openapi/document.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import type { Json } from "./document.ts";

const FILE = new URL("../../../packages/sdk/src/generated/api.ts", import.meta.url);
const NOTICE =
  "// Generated from the OpenAPI document by `npm run generate`. Not to be edited.\n\n";

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
const types = `${NOTICE}${astToString(await openapiTS(trimmed, { alphabetize: true }))}`;
if (!process.argv.includes("--check")) writeFileSync(FILE, types);
else if (readFileSync(FILE, "utf8") !== types) {
  process.stderr.write(`${fileURLToPath(FILE)} is not what \`npm run generate\` makes\n`);
  process.exitCode = 1;
}
