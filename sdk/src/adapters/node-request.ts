import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServeResponse } from "../serve/report-failure.ts";
import type { ServeRequest } from "../serve/serve-options.ts";

/** Converts a node:http request. `readBody` replaces the stream if a framework has already read it. */
export function readNode(
  request: IncomingMessage,
  response: ServerResponse,
  readBody: () => Promise<Uint8Array> = () => readStream(request),
): ServeRequest {
  const disconnected = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) disconnected.abort();
  });
  return {
    method: request.method ?? "GET",
    header: (name) => [request.headers[name]].flat()[0],
    body: readBody,
    signal: disconnected.signal,
  };
}

async function readStream(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export function writeNode(response: ServerResponse, { status, headers, body }: ServeResponse): void {
  if (response.destroyed) return;
  response.writeHead(status, headers).end(body);
}
