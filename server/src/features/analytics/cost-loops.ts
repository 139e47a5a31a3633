import { type Loop, RETENTION_RESTS } from "../../platform/loop.ts";
import { removeOldCosts } from "./costs-remove-old.ts";
import { rollUpCosts } from "./costs-roll-up.ts";
import { reconcileCosts } from "./reconcile-costs.ts";

export const costLoops: Loop[] = [
  { name: "roll-up-costs", everyMs: 2_000, oneInstance: true, followsLog: true, runOnce: rollUpCosts },
  { name: "reconcile-costs", everyMs: 60_000, oneInstance: true, runOnce: (ctx) => reconcileCosts(ctx) },
  { name: "remove-old-costs", everyMs: 60_000, oneInstance: true, rests: RETENTION_RESTS, runOnce: removeOldCosts },
];
