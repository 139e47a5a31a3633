import type { Loop } from "../../platform/loop.ts";
import { rewrapDataKeys } from "./rewrap-data-keys.ts";

export const projectLoops: Loop[] = [
  { name: "rewrap-data-keys", everyMs: 600_000, oneInstance: true, runOnce: rewrapDataKeys },
];
