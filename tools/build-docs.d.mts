/** Builds the documentation into docs/dist if it is missing or older than its sources. Returns the folder. */
export function buildDocs(): Promise<string>;
