import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createHandler } from "../serve/create-handler.ts";
import type { ServeOptions } from "../serve/serve-options.ts";
import { answerNode, readNode } from "./node-request.ts";

/** `http.createServer(serve({ jobs }))`, or called for one path of a server of yours. */
export function serve(options: ServeOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const handle = createHandler(options);
  return async (request, response) => answerNode(response, await handle(readNode(request, response)));
}

/** A server that does nothing else, for workers. Comes back when it listens; port 0 takes any that is free. */
export async function listen(options: ServeOptions, port = 0, host?: string): Promise<Server> {
  const handle = serve(options);
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return server;
}
