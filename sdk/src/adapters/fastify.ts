import type { IncomingMessage, ServerResponse } from "node:http";
import { createHandler } from "../serve/create-handler.ts";
import type { ServeOptions } from "../serve/serve-options.ts";
import { readNode } from "./node-request.ts";

type Request = { body: unknown; raw: IncomingMessage };
type Reply = {
  raw: ServerResponse;
  code: (status: number) => Reply;
  headers: (headers: Record<string, string>) => Reply;
  send: (body: string) => unknown;
};
type Parser = (request: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => void;
/** The subset of Fastify's types used here, so that Fastify need not be installed. */
type Fastify = {
  removeAllContentTypeParsers: () => unknown;
  addContentTypeParser: (type: string, options: { parseAs: "buffer" }, parser: Parser) => unknown;
  route: (route: {
    method: string[];
    url: string;
    bodyLimit: number;
    handler: (request: Request, reply: Reply) => Promise<unknown>;
  }) => unknown;
};

/** More than the maximum size of a dispatch body, 4 MB. */
const MAX_BYTES = 5 * 1_048_576;

/**
 * A plugin of Fastify. Your own parsers are not affected.
 *
 * @example
 * import fastify from "fastify";
 *
 * const app = fastify();
 * await app.register(serve({ jobs: [sendMail] }), { prefix: "/millrace" });
 */
export function serve(options: ServeOptions): (app: Fastify) => Promise<void> {
  const handle = createHandler(options);
  return async (app) => {
    // Only within this plugin: the signature covers the raw bytes.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
    app.route({
      method: ["GET", "POST"],
      url: "/",
      bodyLimit: MAX_BYTES,
      handler: async ({ raw, body }, reply) => {
        const bytes = async () => (body instanceof Uint8Array ? body : new Uint8Array());
        const response = await handle(readNode(raw, reply.raw, bytes));
        return reply.code(response.status).headers(response.headers).send(response.body);
      },
    });
  };
}
