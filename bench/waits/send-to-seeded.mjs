import { openLoop } from "../compare/apply-load.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { PER_PREFIX, seededKey } from "./seed-waits.mjs";

/** Sends events to waits spread over the million, each untouched since it was created. */
export async function sendToSeeded({ send }, { n, rate, waiting }) {
  const groups = Math.floor(waiting / PER_PREFIX);
  const count = Math.min(n, groups);
  // One per group, so that the prefixes of the last groups stay nearly complete.
  const keys = Array.from({ length: count }, (_, nth) => seededKey(Math.floor((nth * groups) / count) * PER_PREFIX));
  const took = await openLoop(count, rate, (index) =>
    send(`/v1/events/${encodeURIComponent(keys[index])}/send`, { payload: {} }),
  );
  return percentiles(took);
}
