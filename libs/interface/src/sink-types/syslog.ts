// Sinks that send to a server of syslog over TLS. The host is stored as the rules of URLs have read it.

import { isIP } from "node:net";
import { Type } from "typebox";
import { CLOSED, named, Text } from "../schema.ts";
import { fault, sinkType } from "../sink-type.ts";

const MAX_PORT = 65_535;
const HOST = /^[A-Za-z0-9.:_-]+$/;
const NO_HOST = "must be the name or the address of a host";

export const syslog = sinkType({
  schema: named(
    "SyslogSinkConfig",
    Type.Object(
      {
        host: Text("Name or address of a public host.", "syslog.example.com", 255),
        port: Type.Integer({ minimum: 1, maximum: MAX_PORT, examples: [6514] }),
      },
      CLOSED,
    ),
  ),
  defaults: {},
  check: ({ host, port }, { readUrl }) => {
    const isV6 = isIP(host) === 6;
    if (!HOST.test(host) || (host.includes(":") && !isV6)) throw fault("host", NO_HOST);
    const read = readUrl(`https://${isV6 ? `[${host}]` : host}:${port}/`);
    if (!("fault" in read)) return { host: read.host, port };
    throw fault("host", read.fault.includes("public") ? read.fault : NO_HOST);
  },
  batches: "stream",
  // A server answers nothing.
  refusesEvents: false,
  receiver: ({ host, port }) => `${host}:${port}`,
});
