// Holds every test of the API to the OpenAPI document: a request that was accepted and an answer that do not
// fit it fail the test that sent it. A refused request need not fit: most tests of refusals break the
// document on purpose. Runs before each test file of the project `api`.

import { HttpClient } from "@annals/testing";
import { inject } from "vitest";
import { Contract } from "../../system/openapi-contract.ts";

const answer = await new HttpClient(inject("stack").baseUrl).get("/openapi.json");
const contract = new Contract(answer.body);

HttpClient.watch = (traffic) => {
  const faults = contract.faults(traffic);
  if (faults.length === 0) return;
  const { method, path } = traffic;
  throw new Error(`${method} ${path} is not as /openapi.json says:\n${faults.join("\n")}`);
};
