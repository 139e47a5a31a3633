/** Colors of the three default environments, and one for all others. */
const COLORS: Record<string, string> = { production: "bg-accent", staging: "bg-waiting", development: "bg-success" };

export function environmentColor(slug: string): string {
  return COLORS[slug] ?? "bg-border-strong";
}
