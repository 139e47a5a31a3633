import { removeOldSourceEvents } from "../../flow/sources/remove-old-source-events.ts";
import type { Loop } from "../../platform/loop.ts";

export const eventSourceLoops: Loop[] = [
  { name: "remove-old-source-events", everyMs: 60_000, oneInstance: true, runOnce: removeOldSourceEvents },
];
