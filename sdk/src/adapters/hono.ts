import type { ServeOptions } from "../serve/serve-options.ts";
import { serve as serveFetch } from "./fetch.ts";

type HonoContext = { req: { raw: Request } };

/**
 * A handler for a route or a mount of Hono.
 *
 * @example
 * import { Hono } from "hono";
 *
 * const app = new Hono();
 * app.on(["GET", "POST"], "/millrace", serve({ jobs: [sendMail] }));
 */
export function serve(options: ServeOptions): (from: HonoContext | Request) => Promise<Response> {
  const handle = serveFetch(options);
  return (from) => handle("req" in from ? from.req.raw : from);
}
