import { createHandler } from "../serve/create-handler.ts";
import type { ServeOptions } from "../serve/serve-options.ts";

/**
 * For runtimes with Request and Response: Workers, Bun, Deno, Remix, SvelteKit.
 *
 * @example
 * export default { fetch: serve({ jobs: [sendMail] }) };
 */
export function serve(options: ServeOptions): (request: Request) => Promise<Response> {
  const handle = createHandler(options);
  return async (request) => {
    const { status, headers, body } = await handle({
      method: request.method,
      header: (name) => request.headers.get(name) ?? undefined,
      body: async () => new Uint8Array(await request.arrayBuffer()),
      signal: request.signal,
    });
    return new Response(body, { status, headers });
  };
}
