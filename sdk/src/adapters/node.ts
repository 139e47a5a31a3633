import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createHandler } from "../serve/create-handler.ts";
import type { ServeOptions } from "../serve/serve-options.ts";
import { readNode, writeNode } from "./node-request.ts";

/**
 * The listener of an HTTP server, or of one path of your own server.
 *
 * @example
 * import { createServer } from "node:http";
 *
 * createServer(serve({ jobs: [sendMail] })).listen(3000);
 */
export function serve(options: ServeOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const handle = createHandler(options);
  return async (request, response) => writeNode(response, await handle(readNode(request, response)));
}

/**
 * Starts an HTTP server that serves the jobs. Resolves when it is listening; port 0 picks a free port.
 *
 * @example
 * const server = await listen({ jobs: [sendMail] }, 3000);
 * server.close();
 */
export async function listen(options: ServeOptions, port = 0, host?: string): Promise<Server> {
  const handle = serve(options);
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return server;
}
