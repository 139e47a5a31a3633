import { until } from "../../server/test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../server/test/world/world.ts";

export type Tried = { world: World; project: TestProject; env: Record<string, string> };

/** Starts a service without an engine, with a project, and the environment that commands need to find both. */
export async function quietService(options: Parameters<typeof makeWorld>[0] = {}): Promise<Tried> {
  const world = await makeWorld(options);
  // Building the commands may have slowed down a busy machine.
  await until("the service", 20_000, async () => (await world.anonymous.get("/health/ready")).status === 200);
  const project = await world.project();
  return { world, project, env: envOf(world, project) };
}

/** The same with a running engine. */
export async function serviceEnv(): Promise<Tried> {
  const tried = await quietService();
  tried.world.service.startTasks();
  return tried;
}

export function envOf(world: World, project: TestProject): Record<string, string> {
  return { MILLRACE_BASE_URL: world.url, MILLRACE_API_KEY: project.key };
}
