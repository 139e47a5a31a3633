/** The last visited project and environment in this browser. */
const STORED = "millrace-place";

export function recallPlace(): { project: string; environment: string } | undefined {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepPlace(project: string, environment: string): void {
  try {
    localStorage.setItem(STORED, JSON.stringify({ project, environment }));
  } catch {}
}
