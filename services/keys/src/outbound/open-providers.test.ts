// Guarantee: without an identity file the service loads nothing of what logs people in. With one it needs the
// origin that browsers come back to, and refuses to start without it.

import { ConfigError } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { NO_IDENTITY } from "../identity/rules/identity.ts";
import { openOperatorLogins, openProviders } from "./open-providers.ts";

const MODULE = new URL("open-providers.ts", import.meta.url).href;

/** Packages that a process loads which opens the providers of a file. */
async function loadedWith(identityFile: string | undefined): Promise<string[]> {
  const config = JSON.stringify({ identityFile, publicUrl: "https://audit.example.com" });
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({
      resolve(specifier, context, next) {
        loaded.push(specifier);
        return next(specifier, context);
      },
    });
    const { openProviders } = await import(${JSON.stringify(MODULE)});
    await openProviders(${config}, { clock: {}, identities: {} });
    console.log(JSON.stringify(loaded.filter((one) => /^(openid-client|oauth4webapi|jose)/.test(one))));`;
  const argv = ["-C", "source", "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, argv);
  return JSON.parse(stdout) as string[];
}

test("the packages are loaded with an identity file, and not without", async () => {
  expect(await loadedWith(undefined)).toEqual([]);
  expect(await loadedWith("/run/identity.json")).toEqual(
    expect.arrayContaining(["openid-client", "jose", "oauth4webapi"]),
  );
});

test.each([
  [undefined, "ANNALS_PUBLIC_URL is required with ANNALS_IDENTITY_FILE"],
  ["http://example.com", "ANNALS_PUBLIC_URL must begin with https://, except on loopback"],
  ["https://example.com/annals", "ANNALS_PUBLIC_URL must be an origin"],
])("the public URL %j is refused", async (publicUrl, fault) => {
  const config = { identityFile: "x", publicUrl, httpsProxy: undefined, noProxy: undefined };
  const around = { clock: systemClock(), identities: { current: NO_IDENTITY } };
  const opened = openProviders(config, around);
  await expect(opened).rejects.toThrow(fault);
  await expect(opened).rejects.toBeInstanceOf(ConfigError);
});

test.each([
  [{ identityFile: undefined }, "ANNALS_IDENTITY_FILE is required with ANNALS_OPERATOR_URL"],
  [{ operatorUrl: "http://example.com" }, "ANNALS_OPERATOR_URL must begin with https://"],
  [{ operatorUrl: "https://audit.example.com:9092" }, "must have another host"],
])("a console with %j is refused", async (changes, fault) => {
  const proxy = { httpsProxy: undefined, noProxy: undefined };
  const own = { operatorUrl: "https://operators.example.com", identityFile: "x", ...changes };
  const config = { publicUrl: "https://audit.example.com", ...proxy, ...own };
  const around = { clock: systemClock(), identities: { current: NO_IDENTITY } };
  const opened = openOperatorLogins(config, around);
  await expect(opened).rejects.toThrow(fault);
  await expect(opened).rejects.toBeInstanceOf(ConfigError);
});

test("without its URL there is no console", async () => {
  const proxy = { httpsProxy: undefined, noProxy: undefined };
  const config = { publicUrl: undefined, operatorUrl: undefined, identityFile: "x", ...proxy };
  const around = { clock: systemClock(), identities: { current: NO_IDENTITY } };
  expect(await openOperatorLogins(config, around)).toBeUndefined();
});
