/** Joins class names and drops false or undefined ones. */
export function cx(...names: (string | false | undefined | null)[]): string {
  return names.filter(Boolean).join(" ");
}
