export type RetryRule = {
  retry_strategy: "exponential" | "linear" | "fixed" | "custom";
  retry_delays_secs: number[] | null;
};

const FIRST_SECS = 1;
const MAX_DELAY_SECS = 3_600;
const MAX_JITTER = 0.2; // added, never subtracted: no retry comes early

/** The delay before the try after `triesUsed` failed ones. The endpoint's Retry-After is a minimum, up to an hour. */
export function retryDelaySecs(rule: RetryRule, triesUsed: number, retryAfterSecs = 0): number {
  const requested = Math.min(retryAfterSecs, MAX_DELAY_SECS);
  return Math.max(planned(rule, triesUsed), requested) * (1 + Math.random() * MAX_JITTER);
}

function planned({ retry_strategy, retry_delays_secs }: RetryRule, triesUsed: number): number {
  switch (retry_strategy) {
    case "exponential":
      return Math.min(FIRST_SECS * 2 ** Math.max(0, triesUsed - 1), MAX_DELAY_SECS);
    case "linear":
      return Math.min(FIRST_SECS * triesUsed, MAX_DELAY_SECS);
    case "fixed":
      return FIRST_SECS;
    case "custom": {
      const delays = retry_delays_secs ?? [];
      return delays[Math.min(triesUsed, delays.length) - 1] ?? FIRST_SECS;
    }
  }
}
