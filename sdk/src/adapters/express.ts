import type { IncomingMessage, ServerResponse } from "node:http";
import { MillraceError } from "../errors.ts";
import { createHandler } from "../serve/create-handler.ts";
import type { ServeOptions } from "../serve/serve-options.ts";
import { readNode, writeNode } from "./node-request.ts";

type ExpressRequest = IncomingMessage & { body?: unknown; rawBody?: unknown };

/**
 * A middleware of Express. Mount it before `express.json()`: the signature covers the raw bytes.
 *
 * @example
 * import express from "express";
 *
 * const app = express();
 * app.use("/millrace", serve({ jobs: [sendMail] }));
 * app.use(express.json());
 */
export function serve(options: ServeOptions): (request: ExpressRequest, response: ServerResponse) => Promise<void> {
  const handle = createHandler(options);
  return async (request, response) =>
    writeNode(response, await handle(readNode(request, response, rawBodyOf(request))));
}

/** The raw bytes if an earlier middleware kept them, or undefined if the stream can still be read. */
function rawBodyOf({ body, rawBody, readableEnded }: ExpressRequest): (() => Promise<Uint8Array>) | undefined {
  const kept = rawBody ?? body;
  if (kept instanceof Uint8Array) return async () => kept;
  if (typeof rawBody === "string") return async () => new TextEncoder().encode(rawBody);
  if (!readableEnded && body === undefined) return undefined;
  return async () => {
    throw new MillraceError(
      "body_was_parsed",
      "The body was parsed before serve() could verify its signature: mount serve() before express.json(), " +
        "or keep the raw bytes with express.json({ verify: (request, _, bytes) => { request.rawBody = bytes } }).",
    );
  };
}
