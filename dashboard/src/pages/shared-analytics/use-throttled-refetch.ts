import { useCallback, useEffect, useMemo, useRef } from "react";

const BATCH_MS = 600;
const MAX_TOKENS = 2;
const TOKEN_INTERVAL_MS = 60_000;

type TokenBucket = { tokens: number; at: number; timer: ReturnType<typeof setTimeout> | undefined };

/**
 * Throttles refetches, because every open page refetches: the first ones (`maxTokens`) come within a second of
 * their change, later ones every minute while changes continue.
 */
export function useThrottledRefetch(read: () => void, maxTokens = MAX_TOKENS) {
  const latest = useRef(read);
  latest.current = read;
  const bucket = useRef<TokenBucket>({ tokens: maxTokens, at: 0, timer: undefined });
  useEffect(() => () => clearTimeout(bucket.current.timer), []);
  const plan = useCallback(() => {
    const now = bucket.current;
    if (now.timer !== undefined) return;
    const refilled = Math.floor((Date.now() - now.at) / TOKEN_INTERVAL_MS);
    if (refilled > 0) Object.assign(now, { tokens: Math.min(maxTokens, now.tokens + refilled), at: Date.now() });
    now.timer = setTimeout(
      () => {
        now.timer = undefined;
        now.tokens -= 1;
        latest.current();
      },
      now.tokens > 0 ? BATCH_MS : TOKEN_INTERVAL_MS,
    );
  }, [maxTokens]);
  const hasToken = useCallback(() => bucket.current.tokens > 0, []);
  return useMemo(() => ({ plan, hasToken }), [plan, hasToken]);
}
