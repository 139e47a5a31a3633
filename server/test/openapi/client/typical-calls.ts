import type { paths } from "generated-from-openapi"; // made by the test, which compiles this file with it
import createClient from "openapi-fetch";

/** The first calls of a program with a client that openapi-typescript generates with default settings. */
export async function typicalCalls(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

  const job = given(
    await client.POST("/v1/jobs", { body: { name: "Send invoice", endpoint_url: "https://jobs.example.com/" } }),
  );
  const timeoutSecs: number = job.timeout_secs;
  const changed = given(
    await client.PATCH("/v1/jobs/{jobID}", { params: { path: { jobID: job.id } }, body: { max_attempts: 5 } }),
  );
  const triggerOnce = () =>
    client.POST("/v1/jobs/{jobID}/trigger", {
      params: { path: { jobID: job.id }, header: { "Idempotency-Key": "invoice-42" } },
      body: { payload: { invoice: 42 }, tags: { team: "billing" } },
    });
  const [run, again] = [given(await triggerOnce()), given(await triggerOnce())];
  const plain = given(await client.POST("/v1/jobs/{jobID}/trigger", { params: { path: { jobID: job.id } } }));
  const pending = given(
    await client.GET("/v1/runs", {
      params: { query: { status: "pending,running", job_id: job.id, limit: 10, order: "desc" } },
    }),
  );
  const statuses: string[] = pending.data.map(({ status }) => status);
  const read = given(await client.GET("/v1/runs/{runID}", { params: { path: { runID: run.id } } }));
  const stream = await client.GET("/v1/runs/{runID}/stream", {
    params: { path: { runID: run.id }, query: { token: key } },
    headers: { authorization: null },
    parseAs: "stream",
  });
  const canceled = given(await client.POST("/v1/runs/{runID}/cancel", { params: { path: { runID: plain.id } } }));
  const workflow = given(
    await client.POST("/v1/workflows", {
      body: {
        name: "Order",
        steps: [
          { step_ref: "wait", type: "sleep", sleep_duration: "1h" },
          { step_ref: "bill", type: "job", job_id: job.id, depends_on: ["wait"] },
        ],
      },
    }),
  );
  const workflowRun = given(
    await client.POST("/v1/workflows/{workflowID}/trigger", {
      params: { path: { workflowID: workflow.id }, header: { "Idempotency-Key": "order-42" } },
      body: { payload: { order: 42 } },
    }),
  );
  const schedule = given(
    await client.POST("/v1/schedules", { body: { job_id: job.id, name: "Nightly", cron: "0 3 * * *" } }),
  );
  const sent = given(
    await client.POST("/v1/events/{eventKey}/send", {
      params: { path: { eventKey: "order-42" }, header: { "X-Project-Id": job.project_id } },
      body: { payload: { paid: true }, buffer_secs: 60 },
    }),
  );
  const apiKey = given(await client.POST("/v1/api-keys", { body: { name: "Reader", scopes: ["runs:read"] } }));
  const deleted = await client.DELETE("/v1/schedules/{scheduleID}", { params: { path: { scheduleID: schedule.id } } });

  const missing = await client.GET("/v1/runs/{runID}", { params: { path: { runID: "nobody" } } });
  const problem: { code: string; status: number } | undefined = missing.error;
  // The service refuses it: a job that is not pulled has an endpoint.
  const refused = await client.POST("/v1/jobs", { body: { name: "Without an endpoint" } });
  // @ts-expect-error there is no such order
  await client.GET("/v1/jobs", { params: { query: { order: "newest" } } });

  return {
    ...{ timeoutSecs, changed, run, again, statuses, read, stream, canceled, workflow, workflowRun, sent, apiKey },
    ...{ deleted, problem, refused },
  };
}

function given<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Error(`${response.status} ${JSON.stringify(error)}`);
  return data;
}
