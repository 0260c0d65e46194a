// Whole requests of an operation as the bytes that are sent: sound ones, and ones that are doubtful in any
// part: path, query, headers, body, how the body is carried. Called by run.ts. It must never make a
// request whose end the server cannot know: it would wait, which is tested elsewhere.

import fc from "fast-check";
import { doubtfulBody, soundBody } from "./bodies.ts";
import {
  doubtfulAuthorization,
  doubtfulContentType,
  doubtfulHeaders,
  moreHeaders,
  soundContentType,
  soundHeaders,
} from "./headers.ts";
import { doubtfulId, doubtfulQuery, soundId, soundQuery } from "./targets.ts";
import type { FuzzOperation, FuzzRequest, Header, Known } from "./request.ts";
import type { Schema } from "./values.ts";

/** Of ten requests so many are sound in every part. */
const SOUND_OF_TEN = 4;
/** A part of a request that is not sound as a whole is sound this often, of four. */
const SOUND_PART_OF_FOUR = 3;
/** The whole request. */
export function bytesOf({ method, target, headers, body, isChunked }: FuzzRequest): Buffer {
  const all = [...headers];
  if (body !== undefined && isChunked) all.push(["transfer-encoding", "chunked"]);
  else if (body !== undefined) all.push(["content-length", String(body.length)]);
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, "latin1");
  if (body === undefined) return head;
  return Buffer.concat([head, isChunked ? inChunks(body) : body]);
}

function inChunks(body: Buffer): Buffer {
  const half = body.length >> 1;
  const pieces = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  return Buffer.concat([
    ...pieces.flatMap((piece) => [
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from("\r\n"),
    ]),
    Buffer.from("0\r\n\r\n"),
  ]);
}

/** Sound in every part. */
export const soundRequests = (operation: FuzzOperation, known: Known): fc.Arbitrary<FuzzRequest> =>
  requests(operation, known, (sound) => sound);

export function requestsOf(operation: FuzzOperation, known: Known): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    { weight: SOUND_OF_TEN, arbitrary: soundRequests(operation, known) },
    {
      weight: 10 - SOUND_OF_TEN,
      arbitrary: requests(operation, known, (sound, doubted) =>
        fc.oneof(
          { weight: SOUND_PART_OF_FOUR, arbitrary: sound },
          { weight: 4 - SOUND_PART_OF_FOUR, arbitrary: doubted },
        ),
      ),
    },
  );
}

const BEARER = /^bearer +(\S+) *$/i;

const hasKey = ([first, ...more]: readonly Header[], { keys }: Known): boolean =>
  more.length === 0 && BEARER.exec(first?.[1] ?? "")?.[1] === keys.good;

type Choose = <T>(sound: fc.Arbitrary<T>, doubted: fc.Arbitrary<T>) => fc.Arbitrary<T>;

function requests(
  { method, path, operation }: FuzzOperation,
  known: Known,
  choose: Choose,
): fc.Arbitrary<FuzzRequest> {
  const schema = operation.requestBody?.content["application/json"].schema;
  const parameters: Schema[] = operation.parameters ?? [];
  const isIn = (where: string) => parameters.filter((one) => one.in === where);
  return fc
    .record({
      ids: fc.array(choose(soundId(known), doubtfulId(known)), { minLength: 2, maxLength: 2 }),
      query: choose(soundQuery(isIn("query"), known), doubtfulQuery(isIn("query"), known)),
      authorization: choose(
        fc.constant<Header[]>([["authorization", `Bearer ${known.keys.good}`]]),
        doubtfulAuthorization(known),
      ),
      named: choose(soundHeaders(isIn("header")), doubtfulHeaders(isIn("header"))),
      more: choose(fc.constant<Header[]>([]), moreHeaders),
      contentType: choose(soundContentType, doubtfulContentType),
      body: choose(soundBody(schema), doubtfulBody(schema)),
      isChunked: choose(fc.constant(false), fc.boolean()),
    })
    .map(({ ids, query, authorization, named, more, contentType, body, isChunked }) => {
      const left = [...ids];
      const where = path.replaceAll(/\{\w+\}/g, () => left.pop() ?? "");
      const typed: Header[] =
        body === undefined || contentType === "" ? [] : [["content-type", contentType]];
      return {
        method: method.toUpperCase(),
        target: where + query.raw,
        query: query.pairs,
        headers: [["host", "annals.example"], ...authorization, ...named, ...typed, ...more],
        hasKey: hasKey(authorization, known),
        body,
        isChunked,
      };
    });
}
