import { IS_VALUES } from "@millrace/contract/query-language/types";
import { RUN_STATUSES, TRIGGER_TYPES } from "@millrace/contract/runs/runs";

export type Suggestion = { text: string; hint: string };

const KEYS: Suggestion[] = [
  { text: "status:", hint: "one or more statuses" },
  { text: "job:", hint: "slug or id" },
  { text: "is:", hint: "dead, late, retrying, live …" },
  { text: "tag:", hint: "key, or key:value" },
  { text: "since:", hint: "24h, 7d, 2026-11-01" },
  { text: "until:", hint: "2h, 2026-11-01" },
  { text: "payload.", hint: "payload.user.id:42" },
  { text: "error:", hint: "text in error code or message" },
  { text: "trigger:", hint: "api, cron, event …" },
  { text: "duration:", hint: ">30s" },
  { text: "attempts:", hint: ">1" },
  { text: "key:", hint: "concurrency key" },
  { text: "version:", hint: "job version number" },
  { text: "by:", hint: "who created it" },
  { text: "workflow:", hint: "workflow run id" },
  { text: "batch:", hint: "batch id" },
];

const VALUES: Record<string, readonly string[]> = {
  status: RUN_STATUSES,
  trigger: TRIGGER_TYPES,
  is: IS_VALUES,
  since: ["15m", "1h", "24h", "7d", "30d"],
  until: ["1h", "24h", "7d"],
  duration: [">1s", ">30s", ">5m"],
  attempts: [">1", ">3"],
};

/** Completions for the current word. `known` has values of the page: job slugs, tags, paths. */
export function suggest(word: string, known: Record<string, readonly string[]> = {}): Suggestion[] {
  const isNegated = word.startsWith("-");
  const typed = isNegated ? word.slice(1) : word;
  const sign = isNegated ? "-" : "";
  const colon = typed.indexOf(":");
  if (colon === -1) {
    const paths = (known.payload ?? []).map((path) => ({ text: `payload.${path}:`, hint: "from recent payloads" }));
    return [...KEYS, ...paths]
      .filter(({ text }) => text.startsWith(typed))
      .map((each) => ({ ...each, text: `${sign}${each.text}` }));
  }
  const key = typed.slice(0, colon);
  const [last = "", ...before] = typed
    .slice(colon + 1)
    .split(",")
    .reverse();
  const taken = new Set(before);
  const head = `${sign}${key}:${before
    .reverse()
    .map((each) => `${each},`)
    .join("")}`;
  const values = known[key] ?? VALUES[key] ?? [];
  return values
    .filter((value) => value.startsWith(last) && value !== last && !taken.has(value))
    .map((value) => ({ text: `${head}${value}`, hint: "" }));
}
