import type { Answer } from "./client.ts";

/** All that a caller sees of an answer, but for the id of the request. */
export function seen({ status, body, headers }: Answer): unknown[] {
  const { request_id: _, ...rest } = body;
  return [status, headers.get("idempotent-replayed"), rest];
}
