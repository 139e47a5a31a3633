import type { StatusFamily } from "../../parts/state/statuses.ts";

/** Colors that differ from each other. That of failures is not among them: a part of a chart has not failed. */
const FAMILIES: readonly StatusFamily[] = ["running", "waiting", "retrying", "success", "queued"];

/** Parts that share a color differ in their stroke: dashed lines, paler bars. */
export function lookOfPart(nth: number): { family: StatusFamily; stroke: "solid" | "dashed" } {
  const family = FAMILIES[nth % FAMILIES.length] ?? "running";
  return { family, stroke: nth < FAMILIES.length ? "solid" : "dashed" };
}
