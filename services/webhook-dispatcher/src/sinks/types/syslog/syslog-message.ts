// An event as a message of syslog (RFC 5424), framed by octet counting (RFC 5425, 4.3). Called by
// syslog-receiver.ts. It must never cut a record: a receiver that takes less than a record has does so.

import type { SinkRecord } from "../../rules/sink-record.ts";

/** Facility 13, log audit, and severity 6, informational. */
const PRIORITY = 13 * 8 + 6;
const VERSION = 1;
const APP_NAME = "annals";
/** An unknown host and process: a chain belongs to neither. */
const NIL = "-";
/** The enterprise number of examples (RFC 5612): Annals has no number of its own. */
const STRUCTURED_DATA_ID = "annals@32473";
const MAX_MESSAGE_ID_LENGTH = 32;

/** Returns the bytes of a record: their number, a space, and the message. */
export function syslogFrame(chain: string, record: SinkRecord): Buffer {
  const { action, json, occurredAt } = record;
  const header = `<${PRIORITY}>${VERSION} ${occurredAt} ${NIL} ${APP_NAME} ${NIL} ${messageId(action)}`;
  const message = Buffer.from(`${header} ${structuredData(chain, record)} ${ascii(json)}`);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

function structuredData(chain: string, { hash, previousHash, sequenceNumber }: SinkRecord): string {
  const params = { chain, seq: sequenceNumber, hash, prev: previousHash };
  const texts = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`);
  return `[${STRUCTURED_DATA_ID}${texts.join("")}]`;
}

/** RFC 5424, 6.3.3. */
function escaped(value: string): string {
  return value.replaceAll(/["\\\]]/g, String.raw`\$&`);
}

/** Returns the action in visible characters of ASCII, cut to the length that the field has. */
function messageId(action: string): string {
  return action.replaceAll(/[^!-~]/g, "_").slice(0, MAX_MESSAGE_ID_LENGTH) || NIL;
}

/**
 * Returns the same JSON in ASCII. A message in UTF-8 must begin with a BOM (RFC 5424, 6.4), on which many
 * readers of JSON fail; one in ASCII needs none.
 */
function ascii(json: string): string {
  return json.replaceAll(
    /[\u007F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
