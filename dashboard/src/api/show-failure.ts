import { toast } from "../parts/overlay/toasts.tsx";
import { asProblem } from "./problem.ts";

/** For failed user actions that have no place of their own for an error. */
export function showFailure(error: unknown): void {
  const { title, detail, remedy } = asProblem(error);
  toast({ tone: "bad", title, detail: `${detail} ${remedy}`, lastsMs: 10_000 });
}
