import type { Route } from "../../src/platform/route.ts";
import { runningRun } from "../seed/running-run.ts";
import { type ClientResponse, makeClient } from "../world/client.ts";
import { INTERNAL_SECRET, type TestProject, type World } from "../world/world.ts";
import { idsIn } from "./path-ids.ts";
import { sampleBody } from "./sample-body.ts";
import { requestRoute } from "./walk-routes.ts";

/** Sends a valid request to a route, built from its declaration, as far as possible: existing objects and a minimal body. */
export async function sendValidRequest(world: World, project: TestProject, row: Route): Promise<ClientResponse> {
  if (row.auth.kind === "run") return requestAsRun(world, project, row);
  const needsIds = row.auth.kind !== "none" && row.auth.kind !== "operator";
  return requestRoute(world.url, row, {
    headers: { "x-internal-secret": INTERNAL_SECRET, "x-project-id": project.id },
    params: needsIds ? await idsIn(world.connection, project, row) : {},
  });
}

/** Sent by a running run about itself. */
async function requestAsRun(world: World, project: TestProject, row: Route): Promise<ClientResponse> {
  const { run_id, job_id, token } = await runningRun(world, project);
  const extras: Record<string, object> = { log: { message: "Hello" }, spawn: { job_id }, sleep: { secs: 5 } };
  const extra = extras[row.path.split("/").at(-1) ?? ""] ?? {};
  return makeClient(world.url, { authorization: `Bearer ${token}` }).send(
    row.method,
    row.path.replace("{runID}", run_id),
    row.body && { ...(sampleBody(row.body) as object), ...extra },
  );
}
