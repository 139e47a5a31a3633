import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { McpQuery } from "@millrace/contract/service/mcp";
import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { CallerCtx } from "../../platform/context.ts";
import type { RouteReply, SignedRequest } from "../../platform/route.ts";
import { openServiceClient } from "./service-client.ts";
import { findSession, keepSession } from "./sessions.ts";

/**
 * Answers one message of a client. Tools that only read need no session, so any instance can answer. A client that
 * may write has a session on one instance, because the question to the person interrupts its call.
 */
export async function answerMcp(
  ctx: CallerCtx,
  { allow_write = false, trust_client = false }: McpQuery,
  { body, headers }: SignedRequest,
  reply: RouteReply,
): Promise<Readable | string> {
  // Loaded with the first request: most services never get one.
  const { createMcpServer } = await import("./create-mcp-server.ts");
  const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
    "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
  );
  const client = openServiceClient(ctx, headers);
  const options = { allowWrite: allow_write, trustClient: trust_client };
  const credential = String(headers.authorization ?? headers["x-internal-secret"] ?? "");
  const id = headers["mcp-session-id"];
  const request = requestOf(client.baseUrl, body, headers);
  if (typeof id === "string") {
    const found = findSession(ctx, id, credential);
    return found ? send(await found.handleRequest(request), reply) : noSession(reply);
  }
  const transport: WebStandardStreamableHTTPServerTransport = allow_write
    ? new Transport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (opened) => keepSession(ctx, opened, credential, transport),
      })
    : new Transport({ enableJsonResponse: true });
  await createMcpServer(client, options).connect(transport);
  return send(await transport.handleRequest(request), reply);
}

function requestOf(baseUrl: string, body: Buffer, headers: SignedRequest["headers"]): Request {
  const named = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return new Request(`${baseUrl}/mcp`, { method: "POST", headers: named, body: new Uint8Array(body) });
}

/** As the protocol asks: the client starts a new session. */
function noSession(reply: RouteReply): string {
  reply.status(404);
  const message = "Session not found. It has ended, or belongs to another instance of the service.";
  return JSON.stringify({ jsonrpc: "2.0", error: { code: -32_001, message }, id: null });
}

async function send(response: Response, reply: RouteReply): Promise<Readable | string> {
  reply.status(response.status);
  for (const name of ["content-type", "mcp-session-id", "cache-control"]) {
    const value = response.headers.get(name);
    if (value !== null) reply.header(name, value);
  }
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  return isStream && response.body ? Readable.fromWeb(response.body as ReadableStream) : response.text();
}
