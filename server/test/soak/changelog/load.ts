import { setTimeout as pause } from "node:timers/promises";
import type { ProjectClient } from "../../harness/client.ts";
import type { Harness } from "../../harness/open-harness.ts";
import { makeJob, makeWorkflow } from "../../seed/make-workflow.ts";

type Load = { triggered: () => number; stop: () => Promise<number> };
export type Subject = { project: ProjectClient; job: string; workflow: string };

const WORK_MS = 30;

/** A project with a job that fails now and then, a workflow of two steps, and a subscription to all its runs. */
export async function makeSubject({ project: newProject, receiver, random }: Harness): Promise<Subject> {
  const project = await newProject();
  const endpoint_url = receiver.endpoint("work", async ({ body, dispatch: { attempt } }) => {
    await pause(random() * WORK_MS);
    const isFlaky = body.tries_used === 0 && body.payload?.is_flaky === true;
    return isFlaky ? { status: 500 } : { body: { attempt } };
  });
  const retries = { max_attempts: 10, retry_strategy: "custom", retry_delays_secs: [1] };
  const job = await makeJob({ api: project }, { endpoint_url, ...retries });
  const steps = [
    { step_ref: "first", job_id: job.id },
    { step_ref: "second", job_id: job.id, depends_on: ["first"] },
  ];
  const workflow = await makeWorkflow({ api: project }, { steps });
  await project.post("/v1/webhook-subscriptions", { url: receiver.webhookUrl, events: ["run.*"] });
  return { project, job: `/v1/jobs/${job.id}`, workflow: workflow.path };
}

/** Triggers the job and the workflow at a steady rate, each call repeated until it gets a response. */
export function startLoad(
  subject: Subject,
  random: () => number,
  { everyMs, keys }: { everyMs: number; keys: string },
): Load {
  const { project, job, workflow } = subject;
  const calls: Promise<unknown>[] = [];
  let isStopped = false;
  const running = (async () => {
    for (let nth = 0; !isStopped; nth++) {
      const path = nth % 4 === 0 ? workflow : job;
      const body = { payload: { nth, is_flaky: random() < 0.1 }, idempotency_key: `${keys}-${nth}` };
      calls.push(project.insist(`${path}/trigger`, body));
      await pause(everyMs);
    }
  })();
  return {
    triggered: () => calls.length,
    stop: async () => {
      isStopped = true;
      await running;
      return (await Promise.all(calls)).length;
    },
  };
}
