import type { Loop } from "../../platform/loop.ts";
import { tellDueRotations } from "./tell-due-rotations.ts";

export const apiKeyLoops: Loop[] = [
  { name: "tell-due-rotations", everyMs: 60_000, oneInstance: true, runOnce: tellDueRotations },
];
