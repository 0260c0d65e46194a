// Input and result of every measurement. The other files of this folder are the measurements.

import type { CertificateAuthority } from "@annals/certificates";
import type { Measured } from "../cpu.ts";
import type { Figures } from "../http-load.ts";
import type { Options } from "../options.ts";

export interface Bench {
  readonly options: Options;
  /** Of a gateway, without `/v1`. */
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly processes: readonly Measured[];
  /** What no key reaches. */
  readonly rateLimitPerMinute: number;
  /** Signs the receivers' certificates; the dispatcher trusts it. */
  readonly authority: CertificateAuthority;
  /** Prints progress. */
  readonly say: (line: string) => void;
}

/** One row of a table, each cell as printed. */
export interface Result {
  readonly what: string;
  readonly figure: string;
  readonly p50?: string;
  readonly p99?: string;
  /** Ratio to the baseline. */
  readonly ratio?: string;
  /** CPU time of each event, page or delivery, by service. */
  readonly cost?: string;
}

export interface Section {
  readonly title: string;
  readonly about: string;
  /** Heads of the columns after the first. */
  readonly heads: readonly string[];
  /** Of what the CPU time is; by default of an event. */
  readonly costOf?: "an event" | "a page" | "a delivery" | "a second";
  readonly results: readonly Result[];
}

/** Three columns of a result. */
export function shown({ perSecond, p50Ms, p99Ms }: Figures) {
  return { figure: rate(perSecond), p50: time(p50Ms), p99: time(p99Ms) };
}

/** `8,123/s` */
export function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")}/s`;
}

/** `1.52 ms` */
export function time(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
}

/** A ratio: `0.15`, `12.3`. */
export function multiple(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}
