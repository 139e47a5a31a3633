import type { TestProject } from "../world/world.ts";
import type { WorkflowBench } from "./workflow-bench.ts";

/** A map step `m` over the list in the payload, with the bench's job. */
export const mapOf = (bench: WorkflowBench, fields: object = {}) => ({
  step_ref: "m",
  type: "map",
  items: "{{payload.list}}",
  job_id: bench.job_id,
  ...fields,
});

export const itemsOf = async (project: TestProject, id: string, query = "") =>
  (await project.api.get(`/v1/workflow-runs/${id}/steps/m/items?limit=100${query}`)).body.data;

export const mapStepOf = async (project: TestProject, id: string) =>
  (await project.api.get(`/v1/workflow-runs/${id}/steps/m`)).body;

export const itemStatuses = async (project: TestProject, id: string): Promise<string[]> =>
  (await itemsOf(project, id)).map((item: { status: string }) => item.status);

/** Responds with the item; the named items fail. */
export function echo(bench: WorkflowBench, failing: unknown[] = []): void {
  bench.endpoint.respondWith((dispatch, response) => {
    const { item } = dispatch.body.payload;
    const isBad = failing.includes(item);
    response.writeHead(isBad ? 422 : 200, { "content-type": "application/json" }).end(JSON.stringify({ got: item }));
  });
}

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, nth) => nth);

/** The workflow runs started by the steps of a workflow run, oldest first. */
export const childrenOf = async (project: TestProject, id: string) =>
  (await project.api.get(`/v1/workflow-runs?parent_workflow_run_id=${id}&order=asc`)).body.data;

export const workflowRunStatus = async (project: TestProject, id: string): Promise<string> =>
  (await project.api.get(`/v1/workflow-runs/${id}`)).body.status;

export const sub = (workflow_id: string, fields: object = {}) => ({
  step_ref: "sub",
  type: "sub_workflow",
  workflow_id,
  ...fields,
});
