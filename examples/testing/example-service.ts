import { makeWorld, type World } from "../../server/test/world/world.ts";

export type ExampleService = World & {
  /** The environment variables that a user of the service sets. */
  env: Record<string, string>;
  key: string;
};

/** A running service in real time, with one project. */
export async function exampleService(): Promise<ExampleService> {
  const world = await makeWorld();
  const { key, webhook_secret } = await world.project({ name: "Example" });
  world.service.startTasks();
  const env = { MILLRACE_BASE_URL: world.url, MILLRACE_API_KEY: key, MILLRACE_SIGNING_SECRET: webhook_secret };
  return { ...world, env, key };
}
