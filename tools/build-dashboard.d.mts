/** Builds the dashboard into dashboard/dist if it is missing or older than its sources. Returns the folder. */
export function buildDashboard(): Promise<string>;
