import { makeWorld, type World } from "../../server/test/world.ts";

export type ExampleWorld = World & {
  /** As the newcomer has them in the environment. */
  env: Record<string, string>;
  key: string;
};

/** A service that runs by itself, in real time, with one project. */
export async function exampleWorld(): Promise<ExampleWorld> {
  const world = await makeWorld();
  const { key, webhook_secret } = await world.project({ name: "Example" });
  world.service.startTasks();
  const env = { MILLRACE_BASE_URL: world.url, MILLRACE_API_KEY: key, MILLRACE_SIGNING_SECRET: webhook_secret };
  return { ...world, env, key };
}
