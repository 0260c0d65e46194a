// The verifier of a backend, from its settings, and the secrets of admissions, which follow their file.
// Called by serve.ts of every backend.

import { type Closers, followKeyFile, type Logger, readKeyFile } from "@annals/chassis";
import { type Clock, parseKeyFile } from "@annals/contract";
import { type AdmissionSecrets, AdmissionVerifier } from "./statement.ts";

interface AdmissionConfig {
  readonly admissionSecretFile: string | undefined;
}

const SETTING = {
  env: "ANNALS_ADMISSION_SECRET_FILE",
  purpose: "proves which account a call was admitted for",
};

/** Throws a ConfigError if the file is not set, not readable or malformed. */
export async function openAdmissions(
  config: AdmissionConfig,
  around: { readonly clock: Clock; readonly log: Logger; readonly closers: Closers },
): Promise<{ readonly secrets: AdmissionSecrets; readonly verifier: AdmissionVerifier }> {
  const { clock, closers, log } = around;
  const { admissionSecretFile: file = "" } = config;
  const read = await readKeyFile(SETTING, config.admissionSecretFile, parseKeyFile);
  const { parsed: secrets, text: inUse } = read;
  const replace = (text: string): void => {
    const next = parseKeyFile(text);
    secrets.clear();
    for (const [id, secret] of next) secrets.set(id, secret);
  };
  const following = followKeyFile(SETTING, file, replace, { log, inUse });
  closers.add("admission secrets", following, () => following.stop());
  return { secrets, verifier: new AdmissionVerifier({ secrets, clock }) };
}
