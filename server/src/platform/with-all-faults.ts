import type { ProblemError } from "@millrace/contract/problem";
import { Refusal } from "./errors.ts";
import { refuseFaults } from "./refuse-faults.ts";

type Parts = readonly (() => unknown)[];
type Answers<T extends Parts> = { [K in keyof T]: Awaited<ReturnType<T[K]>> };

/** What each part answers, one after the other. Faults that parts refuse are told together; any other refusal at once. */
export async function withAllFaults<T extends Parts>(...parts: T): Promise<Answers<T>> {
  const answers: unknown[] = [];
  const faults: ProblemError[] = [];
  for (const part of parts) {
    try {
      answers.push(await part());
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "validation_failed") throw error;
      faults.push(...error.errors);
    }
  }
  refuseFaults(faults);
  return answers as Answers<T>;
}
