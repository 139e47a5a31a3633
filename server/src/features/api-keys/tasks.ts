import type { Task } from "../../platform/task.ts";
import { notifyDueRotations } from "./notify-due-rotations.ts";

export const apiKeyTasks: Task[] = [
  { name: "notify-due-rotations", everyMs: 60_000, oneInstance: true, runOnce: notifyDueRotations },
];
