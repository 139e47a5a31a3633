import type { CSSProperties } from "react";
import { FAMILY_COLOR, type StatusFamily } from "../state/statuses.ts";

/** Fill of a chart area. Failures are hatched, so that they do not depend on color alone; dashed lines are paler areas. */
export function fillOf(family: StatusFamily | undefined, stroke = "solid"): CSSProperties {
  const color = family ? FAMILY_COLOR[family] : "var(--color-accent)";
  if (stroke !== "solid") return { backgroundColor: `color-mix(in oklab, ${color} 45%, var(--color-bg))` };
  if (family !== "failed") return { backgroundColor: color };
  return {
    backgroundImage: `repeating-linear-gradient(-45deg, ${color} 0 3px, color-mix(in oklab, ${color} 55%, transparent) 3px 5px)`,
  };
}
