import type { Task } from "../../platform/task.ts";
import { planUsageEmails } from "./plan-usage-emails.ts";
import { HAS_DUE_EMAILS, sendUsageEmails } from "./send-usage-emails.ts";

export const usageTasks: Task[] = [
  { name: "plan-usage-emails", everyMs: 60_000, oneInstance: true, runOnce: planUsageEmails },
  {
    name: "send-usage-emails",
    everyMs: 10_000,
    oneInstance: false,
    wakeOn: "usage-emails",
    hasWork: HAS_DUE_EMAILS,
    runOnce: sendUsageEmails,
  },
];
