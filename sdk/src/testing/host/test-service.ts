import { randomBytes } from "node:crypto";
import { startDispatcher } from "@millrace/server/src/engine/start-dispatcher.ts";
import { createApiKey } from "@millrace/server/src/features/api-keys/create-api-key.ts";
import { createProject } from "@millrace/server/src/features/projects/create-project.ts";
import { connectStarter } from "@millrace/server/src/flow/runs/create/start-locally.ts";
import { type Connections, openService, type Service } from "@millrace/server/src/main/open-service.ts";
import type { CallerCtx } from "@millrace/server/src/platform/context.ts";
import { LONG_TIMEOUTS } from "@millrace/server/src/platform/database/timeouts.ts";
import type { Log } from "@millrace/server/src/platform/logging/log.ts";
import { type Config, parseConfig } from "@millrace/server/src/platform/settings/config.ts";

export type TestService = {
  service: Service;
  baseUrl: string;
  apiKey: string;
  projectId: string;
  signingSecret: string;
  close: () => Promise<void>;
};

/** The real service on a free port, with one project. Its tasks are not started, because the test controls time. */
export async function openTestService(connections: Connections, log: Log): Promise<TestService> {
  const service = await openService(testConfig(), connections, log, [], LONG_TIMEOUTS);
  const { ctx } = service;
  const dispatcher = startDispatcher(ctx, (starter) => connectStarter(ctx, starter));
  const baseUrl = await service.app.listen({ host: "127.0.0.1", port: 0 });
  const caller = callerCtx(service, baseUrl);
  const project = await createProject(caller, { name: "Test", slug: "test" });
  const { key } = await createApiKey({ ...caller, project_id: project.id }, { name: "Test key" });
  return {
    ...{ service, baseUrl, apiKey: key, projectId: project.id, signingSecret: project.webhook_secret },
    close: async () => {
      await dispatcher.drain();
      const closed = service.close();
      // The test's client keeps its connections open, and closing would wait for them.
      service.app.server.closeAllConnections();
      await closed;
    },
  };
}

/** The settings of development, independent of this machine. */
function testConfig(): Config {
  const secret = () => randomBytes(32).toString("base64url");
  const secrets = { INTERNAL_SECRET: secret(), JWT_SIGNING_KEY: secret(), ENCRYPTION_KEY: secret() };
  const parsed = parseConfig("dev", { ...secrets, SHUTDOWN_GRACE_SECS: "1" }, "/nonexistent");
  if (!parsed.ok) throw new Error(parsed.mistakes.join("; "));
  return parsed.config;
}

function callerCtx({ ctx }: Service, base_url: string): CallerCtx {
  return {
    ...ctx,
    caller: { kind: "internal_secret", name: "createTestServer", scopes: null },
    origin: { request_id: "test", ip: "127.0.0.1", user_agent: null, base_url },
    session: null,
  };
}
