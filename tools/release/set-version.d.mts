export function setVersion(root: string, version: string): void;
export function dateChangelog(root: string, version: string, date: string): void;
