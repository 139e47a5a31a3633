import type { Choices } from "./choices.ts";

type Step = { step_ref: string; type?: string; depends_on?: string[]; on_failure?: string; [field: string]: unknown };

const ON_FAILURE = ["fail_workflow", "skip_dependents", "continue"];

/**
 * Steps of every type. Steps that fail by themselves stop the workflow only in a chain: next to other running steps,
 * which of them ends first would be a race. For the same reason only chains compensate.
 */
export function randomSteps(choices: Choices, subWorkflow?: string): Step[] {
  const { chance, one, upTo } = choices;
  const isChain = chance(0.6);
  const steps: Step[] = [];
  for (let nth = 0, count = 1 + upTo(4); nth < count; nth++) {
    const step_ref = `s${nth}`;
    const earlier = steps.map((step) => step.step_ref);
    const last = earlier.at(-1);
    const before = isChain || chance(0.3) ? (last ? [last] : []) : earlier.filter(() => chance(0.4));
    const on_failure = isChain ? one(ON_FAILURE) : one(["skip_dependents", "continue"]);
    const step = randomStep(choices, step_ref, isChain, subWorkflow);
    const condition = before[0] && chance(0.2) ? { condition: `steps.${before[0]}.status == "completed"` } : {};
    const output = before[0] && chance(0.2) ? { condition: `payload.n > ${upTo(40)}` } : {};
    steps.push({ step_ref, ...step, depends_on: before, on_failure, ...condition, ...output });
  }
  return steps;
}

function randomStep(choices: Choices, ref: string, isChain: boolean, subWorkflow?: string): Record<string, unknown> {
  const { chance, one, upTo, weighted } = choices;
  const kind = weighted([
    [6, "job"],
    [2, "wait_for_event"],
    [1, "sleep"],
    [2, "approval"],
    [2, "map"],
    [subWorkflow ? 2 : 0, "sub_workflow"],
  ]);
  switch (kind) {
    case "wait_for_event": {
      const timeout_secs = chance(0.25) ? 1 : 7_200;
      return { type: kind, event_key: `w.${ref}.{{payload.n}}`, timeout_secs };
    }
    case "sleep":
      return { type: kind, sleep_duration: "1s" };
    case "approval":
      return { type: kind, message: "Ship {{payload.n}}?", timeout_secs: 86_400 };
    case "map": {
      const items = Array.from({ length: upTo(4) }, (_, nth) => ({ nth, do: one(["complete", "complete", "report"]) }));
      if (items[0] && chance(0.3)) items[0].do = "refuse";
      const limit = {
        max_parallel: items[0]?.do === "refuse" ? 1 : one([1, 10]),
        tolerate_failures: one([false, 1, true]),
      };
      return { type: kind, items, job_id: "job-a", payload: { do: "{{item.do}}", n: "{{index}}" }, ...limit };
    }
    case "sub_workflow":
      return { type: kind, workflow_id: subWorkflow, payload: { inner: ref } };
    default: {
      const script = one(["complete", "complete", "report", "fail", "refuse", "accept", "wait", "spawn"]);
      const compensate = isChain && chance(0.2) ? { compensate_job_id: "job-c" } : {};
      const emit = chance(0.15) ? { event_emit_key: "k.1", event_emit_buffer_secs: one([0, 3_600]) } : {};
      const fields = {
        do: script,
        times: 1,
        key: `j.${ref}.{{payload.n}}`,
        job: "job-a",
        child: { n: 1 },
        wait: chance(0.5),
      };
      return { job_id: one(["job-a", "job-b"]), payload: fields, ...compensate, ...emit };
    }
  }
}
