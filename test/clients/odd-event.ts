// An event whose bytes change if it is parsed and written again. Used by the cases of spool and outbox.

const METADATA = String.raw`{ "n": 9007199254740993, "f": 1.10, "t": "é 🔑 \u00e9 \/ \" }" , "2": 0,"1":0}`;

export const ODD_EVENT = `{ "action" : "a1",  "context":{"context": [{}],"a":1.0 }, "metadata":${METADATA} }`;

const GIVEN = '"producer":{"id":"billing","n":1,"dropped":0}';

/** The event with the first number of the producer `billing`. */
export const NUMBERED_EVENT = `{"action":"a1","metadata":${METADATA},"context":{"context":[{}],"a":1.0,${GIVEN}}}`;
