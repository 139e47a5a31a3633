export type SitePage = { path: string; title: string; section: string; html: string; ids: string[]; markdown?: string };

/** Writes the documentation as static files into `out`. Throws for a broken link. */
export function writeSite(options: { root: string; out: string; base?: string; isStandalone?: boolean }): SitePage[];
