import type { ClientResponse } from "../world/client.ts";

/** Everything a caller sees of a response, except the request id. */
export function seen({ status, body, headers }: ClientResponse): unknown[] {
  const { request_id: _, ...rest } = body;
  return [status, headers.get("idempotent-replayed"), rest];
}
