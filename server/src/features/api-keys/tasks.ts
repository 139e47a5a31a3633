import type { Task } from "../../platform/task.ts";
import { tellDueRotations } from "./tell-due-rotations.ts";

export const apiKeyTasks: Task[] = [
  { name: "tell-due-rotations", everyMs: 60_000, oneInstance: true, runOnce: tellDueRotations },
];
