/** Builds the package that is published; answers its folder. */
export function buildSdk(): Promise<string>;
