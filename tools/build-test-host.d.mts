/** Bundles the thread that `createTestServer()` starts, if its sources are newer than the last bundle. */
export function buildTestHost(): Promise<string>;
