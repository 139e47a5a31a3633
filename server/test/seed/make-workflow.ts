import type { ClientResponse } from "../world/client.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
type Api = { api: { post: (path: string, body?: object) => Promise<ClientResponse<any>> } };

/** A step without dependencies that does not end by itself. */
export const REST = { step_ref: "rest", type: "sleep", sleep_duration: "1h" } as const;

/** Created through the API, with steps that need no job by default. */
export async function makeWorkflow({ api }: Api, fields: object = {}) {
  const response = await api.post("/v1/workflows", { name: "Order", steps: [REST], ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return { ...response.body, path: `/v1/workflows/${response.body.id}` };
}

export async function makeJob({ api }: Api, fields: object = {}) {
  const response = await api.post("/v1/jobs", { name: "Job", endpoint_url: "https://jobs.example.com/", ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return response.body as { id: string; slug: string; version_id: string };
}
