/** Builds the dashboard into dashboard/dist when it is missing or older than its sources. Answers the folder. */
export function buildDashboard(): Promise<string>;
