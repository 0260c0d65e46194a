// The id that ties the log lines of one client request together over all services. The gateway makes it;
// who calls on behalf of a request passes it in the call's headers: `{ headers: { [REQUEST_ID_HEADER]: id }
// }`. It is for logs only and must never decide anything.

export const REQUEST_ID_HEADER = "x-request-id";

/** Longer or stranger ids are not ours. */
const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The caller's request id; undefined where there is none or it is not fit for a log. */
export function requestIdOf(header: Headers): string | undefined {
  const id = header.get(REQUEST_ID_HEADER);
  return id !== null && REQUEST_ID.test(id) ? id : undefined;
}
