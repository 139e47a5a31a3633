import type { Loop } from "../../platform/loop.ts";
import { drainerOf } from "./drainer.ts";

export const logDrainLoops: Loop[] = [
  {
    name: "drain-logs",
    everyMs: 500,
    oneInstance: false,
    followsLog: true,
    runOnce: (ctx) => drainerOf(ctx).look(),
  },
];
