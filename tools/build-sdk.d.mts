/** Builds the published package and returns its folder. */
export function buildSdk(): Promise<string>;
