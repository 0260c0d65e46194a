// Reads the CloudEvents of a request, in each mode of the HTTP binding: binary (attributes in headers),
// structured and batched (both JSON). Called by store-cloudevents.ts. A member that is there twice is never
// stored as one of them. A number that a double does not keep is stored as its text, and the event says so:
// who sends it has not chosen that JSON.

import {
  JsonFault,
  type JsonValue,
  leastBytes,
  type LooselyRead,
  readJsonLooselyInPieces,
} from "@annals/event";
import { invalid } from "@annals/errors";
import { PIECE_BYTES, type Work } from "@annals/contract";
import type { Deps } from "../deps.ts";
import { fitText } from "./fit-event.ts";
import { type IntakeItem, Rejection } from "./item.ts";
import { arrayOf } from "./json-slices.ts";
import { type CloudEvent, cloudEventOf, mapCloudEvent } from "./map-cloudevents.ts";
import { mediaTypeOf } from "../render/media-type.ts";
import { prepareItem, type PreparedItem, prepareItems } from "./store-items.ts";

export interface GivenRequest {
  readonly bytes: Buffer | undefined;
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
}

type Limits = Deps["limits"];

/** One of so many times the bytes of an event is refused before it is mapped. */
const FAR_TIMES = 4;
const FORMAT = "application/cloudevents";
const BATCH_FORMAT = "application/cloudevents-batch";
const UTF8 = /^[^;]*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

export interface GivenCloudEvents {
  readonly items: PreparedItem[];
  readonly isBatch: boolean;
}

export function* readCloudEvents(request: GivenRequest, limits: Limits): Work<GivenCloudEvents> {
  const type = headerOf(request.rawHeaders, "content-type")[0] ?? "";
  const mediaType = mediaTypeOf(type);
  const isEvents = mediaType === FORMAT || mediaType.startsWith(`${FORMAT}+`);
  const isBatch = mediaType === BATCH_FORMAT || mediaType.startsWith(`${BATCH_FORMAT}+`);
  if (!isEvents && !isBatch) return yield* one(binary(request, mediaType, limits), limits);
  if (!mediaType.endsWith("+json") || !UTF8.test(type))
    throw invalid({
      field: "Content-Type",
      message: `must be ${isBatch ? BATCH_FORMAT : FORMAT}+json in UTF-8`,
    });
  const { bytes } = request;
  if (bytes === undefined) throw invalid({ field: "body", message: "is required" });
  if (isEvents) return yield* one(structured(bytes, limits), limits);
  const elements = yield* arrayOf(bytes, limits.intakeMaxItems);
  const map = (element: Buffer) => itemOf(structured(element, limits), limits);
  return { items: yield* prepareItems(elements, map, limits.eventMaxBytes), isBatch };
}

function* one(read: Work<CloudEvent>, limits: Limits): Work<GivenCloudEvents> {
  const item = yield* prepareItem(yield* itemOf(read, limits, false), limits.eventMaxBytes);
  return { items: [item], isBatch: false };
}

function* itemOf(
  read: Work<CloudEvent>,
  { eventMaxBytes: maxBytes }: Limits,
  isOfBatch = true,
): Work<IntakeItem> {
  try {
    const event = yield* read;
    const { attributes, data = null, dataBase64 = "" } = event;
    // All of it is in the event. To map what has megabytes is more than a turn.
    const most = FAR_TIMES * maxBytes;
    if (leastBytes([attributes, data, dataBase64], most) > most)
      throw new Rejection(
        `the event is more than ${most} bytes in canonical form; at most ${maxBytes} are allowed`,
      );
    return mapCloudEvent(event);
  } catch (error) {
    if (error instanceof Rejection) return { rejected: error.message };
    // Its message may quote a value.
    if (error instanceof JsonFault && isOfBatch)
      return { rejected: "must be JSON that can be kept" };
    throw error;
  }
}

function* structured(bytes: Buffer, limits: Limits): Work<CloudEvent> {
  return cloudEventOf(yield* jsonOf(bytes, limits));
}

function* jsonOf(bytes: Buffer, limits: Limits): Work<LooselyRead> {
  const { bodyMaxValues: maxValues, eventMaxDepth: maxDepth } = limits;
  return yield* readJsonLooselyInPieces(bytes, { maxDepth, maxValues }, PIECE_BYTES);
}

const PREFIX = "ce-";

/** The body is the data, and its media type an attribute. */
function* binary(
  { bytes, rawHeaders }: GivenRequest,
  mediaType: string,
  limits: Limits,
): Work<CloudEvent> {
  const attributes: Record<string, JsonValue> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = (rawHeaders[at] ?? "").toLowerCase();
    if (!header.startsWith(PREFIX)) continue;
    const name = header.slice(PREFIX.length);
    if (Object.hasOwn(attributes, name))
      throw invalid({ field: fitText(header, 80), message: "must be sent once" });
    attributes[name] = attributeOf(header, rawHeaders[at + 1] ?? "");
  }
  const [contentType] = headerOf(rawHeaders, "content-type");
  if (contentType !== undefined) attributes["datacontenttype"] = contentType;
  if (bytes === undefined) return { attributes };
  const isJson = mediaType.endsWith("/json") || mediaType.endsWith("+json");
  if (isJson) {
    const { isAltered, value: data } = yield* jsonOf(bytes, limits);
    return { attributes, data, isAltered };
  }
  return { attributes, dataBase64: bytes.toString("base64") };
}

const PRINTABLE = /^[\x20-\x7e]*$/;

/** Decodes the value of a header (HTTP binding 1.0.2, section 3.1.3.2). */
function attributeOf(header: string, value: string): string {
  const quoted = /^"(.*)"$/.exec(value)?.[1]?.replaceAll(/\\(.)/g, "$1");
  const text = quoted ?? value;
  try {
    if (!PRINTABLE.test(text)) throw new URIError();
    const decoded = decodeURIComponent(text);
    if (!decoded.includes("\0")) return decoded;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw invalid({
    field: fitText(header, 80),
    message: "must be printable ASCII, with any other character percent-encoded as UTF-8",
  });
}

function headerOf(rawHeaders: readonly string[], wanted: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === wanted);
}
