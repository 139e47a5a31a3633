import type { ServeOptions } from "../serve/serve-options.ts";
import { serve as serveFetch } from "./fetch.ts";

/**
 * The handlers of a route of Next, such as `app/millrace/route.ts`.
 *
 * @example
 * export const { GET, POST } = serve({ jobs: [sendMail] });
 */
export function serve(options: ServeOptions): Record<"GET" | "POST", (request: Request) => Promise<Response>> {
  const handle = serveFetch(options);
  return { GET: handle, POST: handle };
}
