import type { Choices } from "./choices.ts";
import type { Pick } from "./operation.ts";

export const HOUR_SECS = 3_600;
export const EVENT_KEYS = ["k.1", "k.2", "other.1"];

/** What the endpoint does with a run that a trigger starts. */
export function payload(choices: Choices): object {
  const { weighted, one, next, chance } = choices;
  const n = next();
  const script = weighted<object>([
    [5, {}],
    [3, { do: "fail", times: one([1, 2, 5]) }],
    [2, { do: "refuse" }],
    [4, { do: "accept" }],
    [3, { do: "wait", key: one(EVENT_KEYS), ...(chance(0.3) && { timeout_secs: 1 }) }],
    [1, { do: "sleep" }],
    [
      2,
      {
        do: "spawn",
        job: one(["job-a", "job-b"]),
        child: { n: 100 + n, do: one(["complete", "refuse", "accept"]) },
        wait: chance(0.6),
      },
    ],
    [4, { do: "report", cost: one([0, 100, 200]) }],
  ]);
  return { n, color: one(["green", "grey"]), ...script };
}

export function job({ weighted }: Choices): string {
  return weighted([
    [4, "job-a"],
    [4, "job-b"],
    [2, "job-c"],
  ]);
}

export function any({ upTo }: Choices, of: Pick["of"], status?: string): Pick {
  return { of, nth: upTo(5), ...(status !== undefined && { status }) };
}
