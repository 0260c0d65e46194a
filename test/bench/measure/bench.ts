// What every measurement is given, and what it gives back. The files beside this one are the
// measurements.

import type { CertificateAuthority } from "@annals/testing";
import type { Figures } from "../http-load.ts";
import type { Options } from "../options.ts";

export interface Bench {
  readonly options: Options;
  /** Of a gateway, without `/v1`. */
  readonly baseUrl: string;
  readonly databaseUrl: string;
  /** Signs the receivers' certificates; the dispatcher trusts it. */
  readonly authority: CertificateAuthority;
  /** Says what is being measured. */
  readonly say: (line: string) => void;
}

/** One line of the table; every text as it is shown. */
export interface Result {
  readonly what: string;
  readonly figure: string;
  readonly p50?: string;
  readonly p99?: string;
  /** The share of the baseline, or what the figure is compared with. */
  readonly ratio?: string;
}

export interface Section {
  readonly title: string;
  readonly about: string;
  /** Heads of the columns after the first. */
  readonly heads: readonly string[];
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

/** A share or a multiple: `0.15`, `12.3`. */
export function multiple(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}
