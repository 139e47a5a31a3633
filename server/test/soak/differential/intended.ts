/** Differences that a newer build has on purpose: a path in the snapshot, and the reason. */
export const INTENDED: { path: RegExp; reason: string }[] = [];
