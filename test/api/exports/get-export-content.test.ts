// GET /v1/exports/{id}/content gives the file of a completed export, byte for byte what `sha256`
// and `size_bytes` say, in the format asked for; before that, and to other accounts, there is none
// (docs/exports.md).

import { newClient, ownerOf } from "@annals/testing";
import { hash } from "node:crypto";
import { afterAll, describe, expect, inject, test } from "vitest";
import { verify } from "../../verifiers/made-export.ts";
import { verifyBytes } from "../../verifiers/made-parquet.ts";
import { expectRefused } from "../refusal.ts";
import { insertJobs } from "./export-rows.ts";
import { exported, newExporter } from "../../system/exports-client.ts";

const stack = inject("stack");
const owner = ownerOf(stack.databaseUrl);
const EVENTS = [
  {
    action: "=1+1",
    actor: { id: "@cmd", type: "user" },
    metadata: { text: 'a "quoted",\r\nline' },
  },
  { action: "+plus", actor: { id: "'=both" }, target: { id: "-1", type: "\ttab" } },
  { action: "plain, with a comma", context: { plane: "😀é" }, target: { id: "'quote" } },
];

const exporter = await newExporter(stack, EVENTS);
const { client } = exporter;
const { id } = (await exported(client, {})).data;

afterAll(() => owner.close());

/** Splits a CSV text by RFC 4180, with no help from the product. */
function readCsv(text: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const records: string[][] = [[]];
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) throw new Error(`no CSV at ${cell.lastIndex}`);
    const [, quoted, plain, end] = match;
    records.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === "\r\n") records.push([]);
  }
  return records.slice(0, -1);
}

describe("200", () => {
  test("JSON Lines: each event as GET shows it, then the manifest", async () => {
    const { data, content } = await exported(client, {});
    expect(content.headers).toMatchObject({
      "content-type": "application/x-ndjson; charset=utf-8",
      "content-length": String(data.size_bytes),
      "content-disposition": `attachment; filename="${data.id}.jsonl"`,
    });
    expect(hash("sha256", content.text)).toBe(data.sha256);
    const lines = content.text.split("\n");
    expect(lines.pop()).toBe("");
    const { manifest } = JSON.parse(lines.pop() ?? "");
    expect(lines).toHaveLength(EVENTS.length);
    for (const line of lines) {
      const one = await client.get(`/v1/events/${JSON.parse(line).id}`);
      expect(`{"data":${line}}`).toBe(one.text);
    }
    const body = lines.map((line) => `${line}\n`).join("");
    expect(manifest).toMatchObject({
      v: 1,
      export_id: data.id,
      chain: exporter.account.accountId,
      format: "jsonl",
      include_proofs: false,
      range: { from_sequence: 1, to_sequence: 3 },
      event_count: 3,
      first: { sequence_number: 1, previous_hash: "0".repeat(64) },
      last: { sequence_number: 3, hash: JSON.parse(lines[2] ?? "").hash },
      head: { sequence_number: 3, hash: JSON.parse(lines[2] ?? "").hash },
      size_bytes: Buffer.byteLength(body),
      sha256: hash("sha256", body),
    });
  });

  test("Parquet: a file that verifies by itself, with the parts as they are stored", async () => {
    const { data, content } = await exported(client, { format: "parquet", include_proofs: true });
    expect(content.headers).toMatchObject({
      "content-type": "application/vnd.apache.parquet",
      "content-length": String(data.size_bytes),
      "content-disposition": `attachment; filename="${data.id}.parquet"`,
    });
    expect(data).toMatchObject({ format: "parquet", event_count: EVENTS.length });
    const { bytes = Buffer.alloc(0) } = content;
    const { manifest, ...report } = await verifyBytes(bytes, { sha256: data.sha256 });
    expect(report).toMatchObject({ events: 3, linksChecked: 3, linksUnchecked: 0 });
    expect(manifest).toMatchObject({ exportId: data.id, head: { sequenceNumber: 3 } });
  });

  test("Parquet without proofs: the claims of the footer, and nothing that verifies", async () => {
    const { content } = await exported(client, { format: "parquet" });
    const { bytes = Buffer.alloc(0) } = content;
    await expect(verifyBytes(bytes)).rejects.toThrow("was made without proofs");
    expect(bytes.toString("latin1")).toContain(exporter.account.accountId);
  });

  test("JSON Lines with proofs: each event and its proof as GET shows them", async () => {
    const { content } = await exported(client, { include_proofs: true });
    const lines = content.text.split("\n").slice(0, -2);
    for (const line of lines) {
      const one = await client.get(`/v1/events/${JSON.parse(line).event.id}?include=proof`);
      expect(line.replace('{"event":', '{"data":')).toBe(one.text);
    }
  });

  test("CSV: a cell that a spreadsheet would run has ' before it, and the value comes back", async () => {
    const { data, content } = await exported(client, { format: "csv" });
    expect(content.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${data.id}.csv"`,
    });
    expect(hash("sha256", content.text)).toBe(data.sha256);
    const [header = [], ...records] = readCsv(content.text);
    const manifest = JSON.parse(records.pop()?.at(-1) ?? "");
    expect(manifest.manifest).toMatchObject({
      format: "csv",
      event_count: 3,
      cells: expect.any(String),
    });
    const cell = (record: number, name: string) => records[record]?.[header.indexOf(name)];
    expect([cell(0, "action"), cell(0, "actor_id")]).toEqual(["'=1+1", "'@cmd"]);
    expect([cell(1, "action"), cell(1, "actor_id")]).toEqual(["'+plus", "''=both"]);
    expect([cell(1, "target_id"), cell(1, "target_type")]).toEqual(["'-1", "'\ttab"]);
    expect([cell(2, "action"), cell(2, "target_id")]).toEqual(["plain, with a comma", "'quote"]);
    expect(JSON.parse(cell(0, "metadata") ?? "")).toEqual(EVENTS[0]?.metadata);
    for (const record of records) expect(record).toHaveLength(header.length);
    expect(content.text.replaceAll(/"(?:[^"]|"")*"/g, "").replaceAll("\r\n", "")).not.toMatch(
      /[\r\n]/,
    );
  });

  test("CSV with proofs: no cell runs, white space or not before the sign, and annals-verify agrees", async () => {
    const ids = [" =1", "\uFEFF=1", "' =1", "\u00A0\u200B@x", "'\t1", "plain", " '", "\u2003＋1"];
    const events = ids.map((each) => ({ action: each, actor: { id: each, type: each } }));
    const { client: own } = await newExporter(stack, events);
    const { content } = await exported(own, { format: "csv", include_proofs: true });
    const records = readCsv(content.text).slice(1, -1);
    for (const chosen of records.flatMap((record) => record.slice(2, 5)))
      expect(chosen).not.toMatch(/^[\s\u200B\uFEFF]*[=+\-@＝＋－＠]|^[\t\r\n]/);
    expect(await verify(content.text)).toMatchObject({ events: ids.length });
  });

  test("CSV for Excel is the same after a byte order mark, and annals-verify says that it skipped it", async () => {
    const asked = { format: "csv_bom", include_proofs: true };
    const { data, content } = await exported(client, asked);
    expect(data.format).toBe("csv_bom");
    expect(content.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${data.id}.csv"`,
    });
    expect(hash("sha256", content.text)).toBe(data.sha256);
    expect(Buffer.byteLength(content.text)).toBe(data.size_bytes);
    const { content: plain } = await exported(client, { ...asked, format: "csv" });
    const recordsOf = (text: string) => text.split("\r\n").slice(0, -2);
    expect(recordsOf(content.text)).toEqual(recordsOf(`\ufeff${plain.text}`));
    const { manifest } = JSON.parse(readCsv(content.text).at(-1)?.at(-1) ?? "");
    expect(manifest.format).toBe("csv");
    expect(await verify(content.text)).toMatchObject({ events: 3, hasByteOrderMark: true });
    expect(await verify(plain.text)).toMatchObject({ events: 3, hasByteOrderMark: false });
  });

  test("CSV with proofs has a column more", async () => {
    const { content } = await exported(client, { format: "csv", include_proofs: true });
    const [header = [], first = []] = readCsv(content.text);
    expect(JSON.parse(first[header.indexOf("proof")] ?? "")).toMatchObject({
      v: 1,
      chain: exporter.account.accountId,
    });
  });
});

describe("404", () => {
  test("an unknown export", async () => {
    expectRefused(await client.get("/v1/exports/exp_unknown/content"), "not_found");
  });

  test("an export of another account", async () => {
    const { client: other } = await newClient(stack);
    expectRefused(await other.get(`/v1/exports/${id}/content`), "not_found");
  });

  test.each(["pending", "running", "failed"])("one that is %s says so", async (status) => {
    const { account } = exporter;
    const unfinished = `exp_${status}`;
    await insertJobs(owner, { accountId: account.accountId, status, ids: [unfinished] });
    const answer = await client.get(`/v1/exports/${unfinished}/content`);
    expectRefused(answer, "not_found", { message: new RegExp(`\\b${status}\\b`) });
  });
});
