export function packPackages(): Promise<string[]>;
