/** Builds the published package; returns its folder. */
export function buildSdk(): Promise<string>;
