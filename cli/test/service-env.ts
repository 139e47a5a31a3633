import { until } from "../../server/test/until.ts";
import { makeWorld, type TestProject, type World } from "../../server/test/world.ts";

export type Tried = { world: World; project: TestProject; env: Record<string, string> };

/** A service, a project in it, and what a command needs to find both. Its engine stands still. */
export async function quietService(options: Parameters<typeof makeWorld>[0] = {}): Promise<Tried> {
  const world = await makeWorld(options);
  // Commands have just been built, which may have kept a busy machine from its database.
  await until("the service", 20_000, async () => (await world.anonymous.get("/health/ready")).status === 200);
  const project = await world.project();
  return { world, project, env: envOf(world, project) };
}

/** The same with an engine that runs. */
export async function serviceEnv(): Promise<Tried> {
  const tried = await quietService();
  tried.world.service.startTasks();
  return tried;
}

export function envOf(world: World, project: TestProject): Record<string, string> {
  return { MILLRACE_BASE_URL: world.url, MILLRACE_API_KEY: project.key };
}
