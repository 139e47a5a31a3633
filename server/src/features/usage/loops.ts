import type { Loop } from "../../platform/loop.ts";
import { planUsageEmails } from "./plan-usage-emails.ts";
import { sendUsageEmails } from "./send-usage-emails.ts";

export const usageLoops: Loop[] = [
  { name: "plan-usage-emails", everyMs: 60_000, oneInstance: true, runOnce: planUsageEmails },
  { name: "send-usage-emails", everyMs: 10_000, oneInstance: false, wakeOn: "usage-emails", runOnce: sendUsageEmails },
];
