// Makes the end of a connection cheap. Node.js creates an error with a stack trace for each request of a
// connection that closes before its responses were sent. A client that pipelines has 32 of them, and their
// traces took more than half of the CPU time of its connection. Called by app.ts. Other errors must keep
// their traces.

import type { Server } from "node:http";
import type { Socket } from "node:net";

export function abortWithoutStackTraces(server: Server): void {
  server.on("connection", (socket: Socket) => {
    let limit = Error.stackTraceLimit;
    // The listener of Node between these two creates the errors.
    socket.prependListener("close", () => {
      limit = Error.stackTraceLimit;
      Error.stackTraceLimit = 0;
    });
    socket.on("close", () => {
      Error.stackTraceLimit = limit;
    });
  });
}
