/** The same query for the sidebar badge and Home, so that both share one request. */
export const FAILED_DELIVERIES = { status: "failed", limit: 100 };
