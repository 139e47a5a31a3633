import type { AddressInfo } from "node:net";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";
import { makeFlowWorld } from "../../server/test/world/flow-world.ts";
import type { TestProject, World } from "../../server/test/world/world.ts";
import { listen } from "../src/adapters/node.ts";
import { type Client, createClient } from "../src/client/create-client.ts";
import type { ServeOptions } from "../src/serve/serve-options.ts";
import { sync } from "../src/sync.ts";

export type SdkWorld = {
  world: World;
  project: TestProject;
  client: Client;
  /** Serves the jobs over HTTP, and creates them and the workflows in the project. Returns the errors that occurred. */
  host: (options: ServeOptions) => Promise<{ url: string; errors: unknown[] }>;
};

/** A real service with a project and a client for it. */
export async function makeSdkWorld(config: Parameters<typeof makeFlowWorld>[0] = {}): Promise<SdkWorld> {
  const world = await makeFlowWorld(config);
  const project = await world.project();
  const client = createClient({ baseUrl: world.url, apiKey: project.key });
  return {
    world,
    project,
    client,
    host: async (options) => {
      const errors: unknown[] = [];
      const onError = (error: unknown) => void errors.push(error);
      const server = await listen(
        { client, signingSecret: project.webhook_secret, onError, ...options },
        0,
        "127.0.0.1",
      );
      whenFileEnds(
        () =>
          new Promise<void>((resolve) => {
            server.closeAllConnections();
            server.close(() => resolve());
          }),
      );
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      await sync(client, { ...options, endpointUrl: url });
      return { url, errors };
    },
  };
}
