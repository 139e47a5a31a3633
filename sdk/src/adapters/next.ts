import type { ServeOptions } from "../serve/serve-options.ts";
import { serve as serveFetch } from "./fetch.ts";

/** In `app/millrace/route.ts`: `export const { GET, POST } = serve({ jobs })`. */
export function serve(options: ServeOptions): Record<"GET" | "POST", (request: Request) => Promise<Response>> {
  const handle = serveFetch(options);
  return { GET: handle, POST: handle };
}
