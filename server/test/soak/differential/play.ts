import { makeClient } from "../../world/client.ts";
import type { Json } from "./json.ts";
import type { Names } from "./names.ts";
import type { Operation, Pick } from "./operation.ts";
import type { Project } from "./project.ts";
import { untilPublished } from "./published.ts";
import { untilQuiescent } from "./quiescence.ts";

/** Sends the operations one after another, each when the project is quiescent. Returns the responses. */
export async function play(project: Project, operations: Operation[]): Promise<Json[]> {
  const responses: Json[] = [];
  const hasBudget = operations.some(({ call }) => call.includes("/project-budget"));
  for (const operation of operations) {
    // An event is matched with subscriptions when it is published.
    if (operation.call.includes("/webhook-subscriptions")) await untilPublished(project);
    responses.push(await sendOperation(project, operation, find));
    await untilQuiescent(project, hasBudget);
  }
  return responses;
}

type Find = (project: Project, pick: Pick) => Promise<string | undefined>;

/** Sends one operation on the objects that `find` returns for its picks. */
export async function sendOperation(project: Project, operation: Operation, find: Find): Promise<Json> {
  const found: string[] = [];
  for (const pick of operation.picks ?? []) {
    const id = await find(project, pick);
    if (id === undefined) return { call: operation.call, nothing: pick.of };
    found.push(id);
  }
  const fill = (text: string) =>
    text
      .replaceAll("$endpoint", project.build.endpoint.urlOf(project.id))
      .replaceAll("$hooks", `${project.build.endpoint.urlOf(project.id)}/hook/${project.id}`)
      .replaceAll(/\$(\d)/g, (_, nth) => found[Number(nth)] ?? "");
  const [method = "", path = ""] = operation.call.split(" ");
  const body = operation.body && JSON.parse(fill(JSON.stringify(operation.body)));
  const token = project.seen.tokens.get(found[0] ?? "");
  const client = operation.isOfRun ? makeClient(project.build.url, { authorization: `Bearer ${token}` }) : project.api;
  const response = await client.send(method, fill(path), body, { headers: operation.headers ?? {} });
  const { status, body: answer, headers } = response;
  const replayed = headers.get("idempotent-replayed");
  const canceled = headers.get("x-canceled-runs");
  return { call: operation.call, found, status, replayed, canceled, ...answerOf(operation, status, answer) };
}

/** A created run may have started or not, so the bodies of most responses are compared at the end instead. */
function answerOf(operation: Operation, status: number, answer: Json): Json {
  if (status >= 400) return { code: answer?.code, detail: answer?.detail, errors: answer?.errors };
  if (operation.isWhole) return { answer };
  if (Array.isArray(answer?.results)) return { results: answer.results };
  return answer?.resolved === undefined ? {} : { resolved: answer.resolved };
}

/** Objects in the order of their names, which is the same in every build. */
async function find(project: Project, { of, status, nth }: Pick): Promise<string | undefined> {
  const names = await project.names();
  const found = await candidates(project, names, of, status);
  found.sort((a, b) => (a.name < b.name ? -1 : 1));
  return found[nth % Math.max(1, found.length)]?.id;
}

async function candidates(
  project: Project,
  names: Names,
  of: Pick["of"],
  status = "",
): Promise<{ id: string; name: string }[]> {
  const named = (objects: Json[]) => objects.map(({ id }) => ({ id, name: names.of(id) }));
  const query = status ? `&status=${status}` : "";
  switch (of) {
    case "run":
      return named(await project.list(`/v1/runs?order=asc${query}`));
    case "dead":
      return named(await project.list("/v1/runs?order=asc&dead_letter=true"));
    case "accepted":
      return named(await project.list("/v1/runs?order=asc&status=running"));
    case "workflow_run":
      return named(await project.list(`/v1/workflow-runs?order=asc${query}`));
    case "step": {
      const runs = await project.list("/v1/workflow-runs?order=asc");
      const steps = await Promise.all(runs.map(({ id }) => project.list(`/v1/workflow-runs/${id}/steps`)));
      const matching = steps.flat().filter((step) => status.split(",").includes(step.status));
      return matching.map(({ workflow_run_id, step_ref }) => ({
        id: `${workflow_run_id}/steps/${step_ref}`,
        name: `${names.of(workflow_run_id)}/${step_ref}`,
      }));
    }
    case "event": {
      const waits = await project.list("/v1/events?order=asc&status=waiting");
      return waits.map(({ id, event_key }) => ({ id: encodeURIComponent(event_key), name: names.of(id) }));
    }
    case "schedule":
      return named(await project.list("/v1/schedules?order=asc"));
    case "subscription":
      // The first one receives everything, and stays.
      return named((await project.list("/v1/webhook-subscriptions?order=asc")).slice(1));
  }
}
