// Bodies that create events, and the same with something of them changed, for the tests of the one pass over
// their bytes. It must make the same bodies of the same seed.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Form } from "./strict-events.ts";

const SAMPLE = new URL("../../../../test/example/cloudtrail/records.jsonl.gz", import.meta.url);

/** Records of the sample that bodies are made of. */
const RECORDS = 40;

/** Members in the order in which people write them, which is not that of their names. */
const ORDINARY = [
  [
    '{"action":"invoice.update","actor":{"id":"u_1","type":"user","meta":{"email":"ada@example.com","role":"editor"}}',
    '"target":{"id":"inv_9","type":"invoice","meta":{"title":"Third quarter"}}',
    '"context":{"ip":"203.0.113.42","user_agent":"Mozilla/5.0","region":"eu-1"}',
    '"diff":{"before":{"status":"draft","total":1200},"after":{"status":"sent","total":1250.5}}',
    '"metadata":{"request_id":"req_1","tags":["billing","manual"]},"occurred_at":"2026-01-31T09:30:00Z"}',
  ].join(),
  '{"action":"a"}',
  '{"action":"a","metadata":{"b":{"d":[],"c":{}},"a":[{"y":1,"x":-0.5},[[]],null,true,false]}}',
  '{"actor":{},"action":"\\u00e9\\n","diff":{},"context":{"":0,"a!":1,"a":2,"aa":3," ":4}}',
  '{"diff":{"before":{"2":1,"10":2,"1":3},"after":{"A":"\\"\\\\","a":"\\t\\b\\f\\r"}},"action":"b"}',
  String.raw`{"action":"k","metadata":{"k:{\"uid\":\"b\"}":{"\\":1,"Z":2,"\n":3},"k:{\"uid\":\"a\"}":{".":{}},"k":0}}`,
  '{"action":"é€😀","context":{"é":1,"z":0.000001,"n":123456789012345,"m":12.5e3}}',
  '{ "action" : "s" , "metadata" : { "b" : [ 1 , { } ] , "a" : { "d" : [ ] , "c" : 2 } } }',
];

const CHARACTERS = Array.from(
  '{}[]:,"\\ \n\t0123456789.-+eEu/btrfnulas_!\u007f\u0001é\u2028\ufeff',
);

const MEMBERS = [
  '"a":',
  '"a":1,',
  ',"a":1',
  '"a":{"b":1,"a":2},',
  '"id":"x",',
  '"type":"y",',
  '"meta":{},',
  '"action":"c",',
  '"metadata":{},',
  '"context":{"b":1,"a":2},',
  '"x":1,"x":1',
  '"\ud7ff":1,"é":{},',
  '"\ufb33":1,"😀":2,',
  '"__proto__":1,',
  '"occurred_at":"z",',
];

const VALUES =
  "-0 1.0 1e2 1e21 0.0000001 0.000001 123456789012345 1234567890123456 null true false [] {}" +
  ' "" \\u0041 \\/ \\n \\" \\ud800 {"b":1,"a":{"d":1,"c":2}} {"events":[ ]} {"action":"d"},';

/** What is put into a body or takes the place of a piece of it. */
const PIECES = [...CHARACTERS, ...MEMBERS, ...VALUES.split(" ")].map((piece) => Buffer.from(piece));

const ODD_BYTES = [0x00, 0x1f, 0x7f, 0x80, 0xbf, 0xc0, 0xed, 0xf4, 0xff];

/** Changes of a body: most bodies get one or two. */
const MOST_CHANGES = 3;

export interface Body {
  readonly form: Form;
  readonly bytes: Buffer;
}

/** The bodies that the others are made of; those of the form `array` come from `canonical`. */
export function ordinaryBodies(canonical: (body: Body) => Uint8Array | undefined): Body[] {
  const events = [...ORDINARY, ...cloudTrailEvents()];
  const bodies = events.flatMap((event, at): Body[] => {
    const another = events[(at + 1) % ORDINARY.length] ?? event;
    const type = another.replace('"action":', '"type":');
    return [
      { form: "event", bytes: Buffer.from(event) },
      { form: "batch", bytes: Buffer.from(`{"events":[${event},${type}]}`) },
    ];
  });
  const arrays = bodies.flatMap((body): Body[] => {
    const bytes = canonical(body);
    return bytes === undefined ? [] : [{ form: "array", bytes: Buffer.from(bytes) }];
  });
  return [...bodies, ...arrays];
}

function cloudTrailEvents(): string[] {
  const lines = gunzipSync(readFileSync(SAMPLE)).toString("utf8").split("\n").slice(0, RECORDS);
  return lines.map((line) => {
    const { userIdentity, eventName, ...metadata } = JSON.parse(line) as Record<string, unknown>;
    return JSON.stringify({
      metadata,
      actor: { type: "user", meta: userIdentity, id: "u_1" },
      action: eventName,
    });
  });
}

/** The body number `index` of a run: one of the ordinary ones, changed in up to three ways. */
export function mutatedBody(ordinary: readonly Body[], seed: number, index: number): Body {
  const random = randomOf(seed + index);
  const { form, bytes } = ordinary[random(ordinary.length)] as Body;
  const donor = (ordinary[random(ordinary.length)] as Body).bytes;
  let changed = bytes;
  for (let left = 1 + random(MOST_CHANGES); left > 0; left -= 1) {
    changed = changedOnce(changed, donor, random);
  }
  return { form, bytes: changed };
}

type Random = (below: number) => number;

function changedOnce(bytes: Buffer, donor: Buffer, random: Random): Buffer {
  const at = random(bytes.length + 1);
  const end = Math.min(bytes.length, at + random(8));
  const piece = PIECES[random(PIECES.length)] as Buffer;
  const [from, to] = tokensOf(bytes, random);
  switch (random(8)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(end)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 3: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[at % copy.length] = ODD_BYTES[random(ODD_BYTES.length)] ?? 0;
      return copy;
    }
    case 4:
      // A piece before a token, where a name, a comma or white space may be right.
      return Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(from)]);
    case 5:
      // What lies between two tokens once more: often a member that then appears twice.
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
    case 6: {
      const [first, last] = tokensOf(donor, random);
      return Buffer.concat([
        bytes.subarray(0, from),
        donor.subarray(first, last),
        bytes.subarray(to),
      ]);
    }
    default:
      return Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(to)]);
  }
}

/** Where two tokens near each other begin. */
function tokensOf(bytes: Buffer, random: Random): [number, number] {
  const from = tokenFrom(bytes, random(bytes.length + 1));
  return [from, tokenFrom(bytes, Math.min(bytes.length, from + 1 + random(24)))];
}

const TOKEN_BEGINS = new Set(Buffer.from('{}[]:,"'));

function tokenFrom(bytes: Buffer, at: number): number {
  let from = at;
  while (from < bytes.length && !TOKEN_BEGINS.has(bytes[from] as number)) from += 1;
  return from;
}

/** Mulberry32: the same numbers of the same seed. */
function randomOf(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
