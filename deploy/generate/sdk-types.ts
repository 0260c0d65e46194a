// The types of packages/sdk: the named schemas of the OpenAPI document, and the queries that the SDK takes.
// Called by main.ts. It must leave out what the SDK does not read, such as routes and failures.

import { openApiDocument } from "@annals/gateway/src/openapi/document.ts";
import openapiTS, { astToString } from "openapi-typescript";

// oxlint-disable-next-line typescript/no-explicit-any -- a document is looked into freely
type Json = any;

const NOTICE =
  "// Generated from the OpenAPI document by `npm run generate`. Not to be edited.\n\n";

/** The schema of the query of a route, which has no name in the document. */
const QUERIES = { ListEventsQuery: "list-events", VerifyChainQuery: "verify-chain" };

/** The whole file. */
export async function sdkTypes(): Promise<string> {
  // The document needs no client, and of the limits no value.
  const { paths, components, openapi, info }: Json = openApiDocument({ limits: {} } as never);
  const operations = Object.values<Json>(paths).flatMap((item) => Object.values<Json>(item));
  const schemas = { ...components.schemas };
  for (const [name, id] of Object.entries(QUERIES))
    schemas[name] = queryOf(operations.find(({ operationId }) => operationId === id));
  const named = { openapi, info, paths: {}, components: { schemas } };
  return `${NOTICE}${astToString(await openapiTS(named, { alphabetize: true }))}`;
}

function queryOf({ parameters }: Json): Json {
  // Those of any name with a pattern have a type by hand.
  const query: Json[] = parameters.filter(
    (one: Json) => one.in === "query" && one.schema.type !== "object",
  );
  return {
    type: "object",
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [name, { description, ...schema }]),
    ),
    required: query.filter(({ required }) => required === true).map(({ name }) => name),
  };
}
