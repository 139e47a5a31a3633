import { toast } from "../parts/toasts.tsx";
import { asProblem } from "./problem.ts";

/** Of what was asked for by hand and has no place of its own to say so. */
export function sayFailure(error: unknown): void {
  const { title, detail, remedy } = asProblem(error);
  toast({ tone: "bad", title, detail: `${detail} ${remedy}`, lastsMs: 10_000 });
}
