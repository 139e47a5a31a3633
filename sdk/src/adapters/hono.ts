import type { ServeOptions } from "../serve/serve-options.ts";
import { serve as serveFetch } from "./fetch.ts";

type HonoContext = { req: { raw: Request } };

/** `app.on(["GET", "POST"], "/millrace", serve({ jobs }))`, or `app.mount("/millrace", serve({ jobs }))`. */
export function serve(options: ServeOptions): (from: HonoContext | Request) => Promise<Response> {
  const handle = serveFetch(options);
  return (from) => handle("req" in from ? from.req.raw : from);
}
