import { type Loop, RETENTION_RESTS } from "../../platform/loop.ts";
import { removeOldCapsules } from "./remove-old-capsules.ts";

export const capsuleLoops: Loop[] = [
  {
    name: "remove-old-capsules",
    everyMs: 60_000,
    oneInstance: true,
    rests: RETENTION_RESTS,
    runOnce: removeOldCapsules,
  },
];
