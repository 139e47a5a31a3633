/** Bundles the thread that `createTestServer()` starts, when its sources are newer than the last bundle. */
export function buildTestHost(): Promise<string>;
