export function nextSteps(version: string, tarballs: readonly string[]): string[];
