import type { Route } from "../../src/platform/route.ts";
import { runningRun } from "../seed/running-run.ts";
import { type ClientResponse, makeClient } from "../world/client.ts";
import { INTERNAL_SECRET, type TestProject, type World } from "../world/world.ts";
import { idsIn } from "./path-ids.ts";
import { sampleBody } from "./sample-body.ts";
import { requestRoute } from "./walk-routes.ts";

/** Sends a valid request to a route, built from its declaration, as far as possible: existing objects and a minimal body. */
export async function sendValidRequest(world: World, project: TestProject, route: Route): Promise<ClientResponse> {
  if (route.auth.kind === "run") return requestAsRun(world, project, route);
  const needsIds = route.auth.kind !== "none" && route.auth.kind !== "operator";
  return requestRoute(world.url, route, {
    headers: { "x-internal-secret": INTERNAL_SECRET, "x-project-id": project.id },
    params: needsIds ? await idsIn(world.connection, project, route) : {},
  });
}

/** Sent by a running run about itself. */
async function requestAsRun(world: World, project: TestProject, route: Route): Promise<ClientResponse> {
  const { run_id, job_id, token } = await runningRun(world, project);
  const extras: Record<string, object> = { log: { message: "Hello" }, spawn: { job_id }, sleep: { secs: 5 } };
  const extra = extras[route.path.split("/").at(-1) ?? ""] ?? {};
  return makeClient(world.url, { authorization: `Bearer ${token}` }).send(
    route.method,
    route.path.replace("{runID}", run_id),
    route.body && { ...(sampleBody(route.body) as object), ...extra },
  );
}
