import { openLoop } from "../compare/apply-load.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { PER_PREFIX, seededKey } from "./seed-waits.mjs";

/** Events to waits all over the million, each of which nobody has touched since it was made. */
export async function sendToSeeded({ tell }, { n, rate, waiting }) {
  const groups = Math.floor(waiting / PER_PREFIX);
  const count = Math.min(n, groups);
  // One of each group, so that the prefixes of the last groups stay nearly whole.
  const keys = Array.from({ length: count }, (_, nth) => seededKey(Math.floor((nth * groups) / count) * PER_PREFIX));
  const took = await openLoop(count, rate, (index) =>
    tell(`/v1/events/${encodeURIComponent(keys[index])}/send`, { payload: {} }),
  );
  return percentiles(took);
}
