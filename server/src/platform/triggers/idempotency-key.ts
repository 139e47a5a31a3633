import { invalid } from "../errors/errors.ts";
import { hashJson } from "../json/hash-json.ts";

/** The key may be in the header `Idempotency-Key` or in the body; if in both, they must match. */
export function withHeaderKey<T extends { idempotency_key?: string }>(item: T, header_key: string | undefined): T {
  if (header_key === undefined) return item;
  if (item.idempotency_key !== undefined && item.idempotency_key !== header_key) {
    throw invalid("body.idempotency_key", "differs from the header Idempotency-Key", item.idempotency_key);
  }
  return { ...item, idempotency_key: header_key };
}

/** Distinguishes a repeated request from a different one under the same key. */
export function hashRequest(request: object): string | Promise<string> {
  return hashJson({ ...request, idempotency_key: null });
}
