// The id that joins the log lines of one client request over all services. The gateway creates it; a service
// that calls on behalf of a request passes it in the call's headers: `{ headers: { [REQUEST_ID_HEADER]: id }
// }`. It is for logs only and must never decide anything.

export const REQUEST_ID_HEADER = "x-request-id";

/** Any other id did not come from the gateway. */
const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The caller's request id; undefined when absent or not safe to log. */
export function requestIdOf(header: Headers): string | undefined {
  const id = header.get(REQUEST_ID_HEADER);
  return id !== null && REQUEST_ID.test(id) ? id : undefined;
}
