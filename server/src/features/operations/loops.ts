import { deleteIdleCounters } from "../../platform/access/ip-counters.ts";
import type { Loop } from "../../platform/loop.ts";
import { announceInstance } from "./announce-instance.ts";

const PAGE = 5_000;

export const operationLoops: Loop[] = [
  { name: "announce-instance", everyMs: 5_000, oneInstance: false, runOnce: announceInstance },
  {
    name: "delete-idle-counters",
    everyMs: 60_000,
    oneInstance: true,
    runOnce: async (ctx) => (await deleteIdleCounters(ctx, PAGE)) === PAGE,
  },
];
