// The verifier of a backend, from its settings. Called by serve.ts of every backend.

import { readKeyFile } from "@annals/chassis";
import { type Clock, parseKeyFile } from "@annals/contract";
import { type AdmissionSecrets, AdmissionVerifier } from "./statement.ts";

interface AdmissionConfig {
  readonly admissionSecretFile: string | undefined;
  readonly admissionOptional: boolean;
}

const SETTING = {
  env: "ANNALS_ADMISSION_SECRET_FILE",
  purpose: "proves which account a call was admitted for",
};

/** Throws a ConfigError where the file is not set, not readable or malformed. */
export async function openAdmissions(
  config: AdmissionConfig,
  clock: Clock,
): Promise<{ readonly secrets: AdmissionSecrets; readonly verifier: AdmissionVerifier }> {
  const secrets = await readKeyFile(SETTING, config.admissionSecretFile, parseKeyFile);
  const isOptional = config.admissionOptional;
  return { secrets, verifier: new AdmissionVerifier({ secrets, clock, isOptional }) };
}
