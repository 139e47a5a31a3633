import type { Run, RunTransition } from "@millrace/contract/runs/runs";
import { dispatcherOf } from "../../src/engine/dispatcher.ts";
import type { Ctx } from "../../src/platform/context.ts";
import { type JobEndpoint, jobEndpoint, type Script } from "../outside/job-endpoint.ts";
import type { TestProject, World } from "../world/world.ts";

export type DispatchBench = {
  project: TestProject;
  endpoint: JobEndpoint;
  /** Creates a job with this endpoint. Returns its id. */
  job: (fields?: object) => Promise<string>;
  /** Triggers a run of a new job. Returns its id. */
  run: (job?: object, trigger?: object) => Promise<string>;
  trigger: (job_id: string, body?: object) => Promise<string>;
  read: (run_id: string) => Promise<Run>;
  transitions: (run_id: string) => Promise<RunTransition[]>;
};

/** A project with an endpoint whose responses the test sets, for tests of dispatch. */
export async function dispatchBench(world: World, ...responses: Script[]): Promise<DispatchBench> {
  const [project, endpoint] = [await world.project(), await jobEndpoint()];
  if (responses.length > 0) endpoint.respondWith(...responses);
  const { api } = project;

  async function created(path: string, body: object): Promise<string> {
    const response = await api.post(path, body);
    if (response.status !== 201) throw new Error(response.text);
    return response.body.id;
  }
  const job = (fields: object = {}) => created("/v1/jobs", { name: "Job", endpoint_url: endpoint.url, ...fields });
  const trigger = (job_id: string, body: object = {}) => created(`/v1/jobs/${job_id}/trigger`, body);
  return {
    project,
    endpoint,
    job,
    trigger,
    run: async (fields, body) => trigger(await job(fields), body),
    read: async (run_id) => (await api.get(`/v1/runs/${run_id}`)).body,
    transitions: async (run_id) => (await api.get(`/v1/runs/${run_id}/transitions?limit=100`)).body.data,
  };
}

/** Makes an instance claim all claimable runs; returns when it has begun to dispatch. */
export async function pollQueue(ctx: Ctx): Promise<void> {
  await dispatcherOf(ctx).poll();
}

/** Advances the clock to when a run is due again, and runs tasks until idle. */
export async function runWhenDue(world: World, { scheduled_at }: Pick<Run, "scheduled_at">): Promise<void> {
  await world.clock.set(scheduled_at);
  await world.runUntilIdle();
}
