import { type Dispatch, type JobEndpoint, jobEndpoint } from "../outside/job-endpoint.ts";
import type { TestProject, World } from "../world/world.ts";

type HandlerResponse = { status?: number; body?: unknown } | undefined;
type Handler = (dispatch: Dispatch) => HandlerResponse | Promise<HandlerResponse>;

export type WorkflowBench = {
  endpoint: JobEndpoint;
  job_id: string;
  /** The step that a dispatch was for. */
  refs: () => string[];
  /** Saves a workflow whose job steps run the bench's job, unless they name one. */
  save: (steps: object[], fields?: object) => Promise<string>;
  /** The endpoint's response for a step; 200 with the step's name by default. */
  onDispatch: (step_ref: string, handler: Handler) => void;
  /** Starts a run and returns its id. */
  start: (workflow_id: string, body?: object) => Promise<string>;
  /** The same, then runs tasks until idle. */
  run: (workflow_id: string, body?: object) => Promise<Ran>;
  read: (workflow_run_id: string) => Promise<Ran>;
};

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
type Ran = { run: any; steps: Record<string, any>; statuses: Record<string, string> };

/** A project with one job whose endpoint responds per step, for running workflows over HTTP. */
export async function workflowBench(world: World, project: TestProject, job: object = {}): Promise<WorkflowBench> {
  const endpoint = await jobEndpoint();
  const handlers = new Map<string, Handler>();
  endpoint.respondWith(async (dispatch, response) => {
    const { status = 200, body = { step: dispatch.body.step_ref } } =
      (await handlers.get(dispatch.body.step_ref)?.(dispatch)) ?? {};
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const created = await project.api.post("/v1/jobs", {
    name: "Step",
    endpoint_url: endpoint.url,
    max_attempts: 1,
    ...job,
  });
  const job_id = created.body.id as string;

  async function read(workflow_run_id: string): Promise<Ran> {
    const { body: run } = await project.api.get(`/v1/workflow-runs/${workflow_run_id}`);
    const { body } = await project.api.get(`/v1/workflow-runs/${workflow_run_id}/steps?limit=100`);
    const steps = Object.fromEntries(body.data.map((step: { step_ref: string }) => [step.step_ref, step]));
    const statuses = Object.fromEntries(body.data.map((step: Record<string, string>) => [step.step_ref, step.status]));
    return { run, steps, statuses };
  }

  async function start(workflow_id: string, body: object = {}): Promise<string> {
    for (;;) {
      const response = await project.api.post(`/v1/workflows/${workflow_id}/trigger`, body);
      if (response.status === 201) return response.body.id;
      // Many at once on a busy machine may wait for a connection for longer than the service lets them.
      if (response.status !== 503) throw new Error(response.text);
    }
  }

  return {
    endpoint,
    job_id,
    refs: () => endpoint.dispatches.map((dispatch) => dispatch.body.step_ref),
    save: async (steps, fields = {}) => {
      const given = steps.map((step) => ("type" in step || "job_id" in step ? step : { ...step, job_id }));
      const response = await project.api.post("/v1/workflows", { name: "Workflow", steps: given, ...fields });
      if (response.status !== 201) throw new Error(response.text);
      return response.body.id;
    },
    onDispatch: (step_ref, handler) => void handlers.set(step_ref, handler),
    start,
    run: async (workflow_id, body) => {
      const id = await start(workflow_id, body);
      await world.runUntilIdle();
      return read(id);
    },
    read,
  };
}
