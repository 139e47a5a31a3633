/** One question for the badge of the rail and the list at home: who asks the same shares the answer. */
export const FAILED_DELIVERIES = { status: "failed", limit: 100 };
