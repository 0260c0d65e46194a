// `@annals/sdk/mcp`: records each tool call of an MCP server: the tool, who called it and for whom, how it
// ended. It must never record an argument that the application does not name, nor what a tool returns.

import { context } from "./context.ts";
import { activeContext } from "./context-storage.ts";
import { argumentsOf, textOf } from "./mcp/caller-values.ts";
import { timed } from "./outcome.ts";
import { called, trackAs, type TracksEvents } from "./request-audit.ts";
import type { Actor } from "./types.ts";

export type { TracksEvents } from "./request-audit.ts";

const METHOD = "tools/call";

export interface ToolCall {
  readonly tool: string;
  /** What the server knows of the access token, over HTTP. */
  readonly auth: ToolCallAuth | undefined;
  /** What a handler of the server gets besides the request. */
  readonly extra: unknown;
}

export interface ToolCallAuth {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface ToolCallOptions {
  /** Who calls. By default the client of the access token, as an actor of the type `agent`. */
  readonly actor?: (call: ToolCall) => Actor | undefined;
  /** For whom the caller acts: `actor.meta.on_behalf_of`. */
  readonly onBehalfOf?: (call: ToolCall) => Actor | undefined;
  /** Added to the context of the call's event, and of those that are tracked in it. */
  readonly context?: (call: ToolCall) => Record<string, unknown>;
  /** Names of the arguments that are recorded, by tool. By default none is. */
  readonly arguments?: Readonly<Record<string, readonly string[]>>;
}

/** What is used of `Server` of the MCP SDK, of version 1 and 2. */
export interface ToolServer {
  readonly setRequestHandler: (...values: never[]) => void;
  assertCanSetRequestHandler(method: typeof METHOD): void;
  getClientVersion?(): { readonly name: string; readonly version: string } | undefined;
}

interface Request {
  readonly params: { readonly name: string; readonly arguments?: Record<string, unknown> };
}
interface Extra {
  readonly authInfo?: ToolCallAuth;
  readonly sessionId?: string;
  readonly http?: { readonly authInfo?: ToolCallAuth };
}
type Handler = (request: Request, extra: Extra) => unknown;

/** Call it before tools are registered. Events that a tool tracks have its caller as their actor. */
export function recordToolCalls(
  mcpServer: ToolServer | { readonly server: ToolServer },
  annals: TracksEvents,
  options: ToolCallOptions = {},
): void {
  const server = "server" in mcpServer ? mcpServer.server : mcpServer;
  try {
    server.assertCanSetRequestHandler(METHOD);
  } catch (cause) {
    throw new TypeError("recordToolCalls() comes before the first tool is registered", { cause });
  }
  const set = server.setRequestHandler.bind(server) as (...values: unknown[]) => void;
  const setRecorded = (...values: unknown[]): void => {
    const handler = values.pop() as Handler;
    const isCall = methodOf(values[0]) === METHOD;
    set(...values, isCall ? recorded(handler, server, annals, options) : handler);
  };
  Object.assign(server, { setRequestHandler: setRecorded });
}

/** The method's name, or the schema of its request. */
function methodOf(first: unknown): string {
  const { shape } = first as { shape?: { method?: { value?: unknown } } };
  const method = typeof first === "string" ? first : shape?.method?.value;
  // Calls of tools would go unrecorded.
  if (typeof method !== "string") throw new TypeError("this version of the MCP SDK is not known");
  return method;
}

function recorded(
  handler: Handler,
  server: ToolServer,
  annals: TracksEvents,
  options: ToolCallOptions,
): Handler {
  return (request, extra) => {
    const tool = textOf(request.params.name);
    const call = { tool, auth: extra.authInfo ?? extra.http?.authInfo, extra };
    const end = timed({
      action: "tool.call",
      target: { type: "tool", ...(tool !== "" && { id: tool }) },
      metadata: { ...called("arguments", () => argumentsIn(request, options)) },
    });
    const around = {
      actor: callerOf(call, options),
      context: {
        ...clientOf(server, extra),
        ...called("context", () => options.context?.(call)),
      },
    };
    return context(around, async () => {
      const here = activeContext();
      let hasFailed = true;
      try {
        const result = (await handler(request, extra)) as { isError?: boolean } | undefined;
        hasFailed = result?.isError === true;
        return result;
      } finally {
        called("event", () => trackAs(annals, end(hasFailed ? "failure" : "success"), here));
      }
    });
  };
}

/** The arguments that the application has named for the tool. The caller may name what every object has. */
function argumentsIn({ params }: Request, { arguments: byTool = {} }: ToolCallOptions): object {
  const names = Object.hasOwn(byTool, params.name) ? byTool[params.name] : undefined;
  return names && params.arguments ? { arguments: argumentsOf(params.arguments, names) } : {};
}

function callerOf(call: ToolCall, options: ToolCallOptions): Actor | undefined {
  const agent: Actor | undefined = call.auth && { type: "agent", id: textOf(call.auth.clientId) };
  const actor = called("actor", () => options.actor?.(call)) ?? agent;
  const principal = called("principal", () => options.onBehalfOf?.(call));
  return principal ? { ...actor, meta: { ...actor?.meta, on_behalf_of: principal } } : actor;
}

/** What the client says of itself, which nobody has checked, and its session. */
function clientOf(server: ToolServer, { sessionId }: Extra): Record<string, unknown> {
  const client = called("client", () => server.getClientVersion?.());
  return {
    ...(client && { mcp_client: `${textOf(client.name)} ${textOf(client.version)}`.trim() }),
    ...(sessionId !== undefined && { mcp_session: sessionId }),
  };
}
