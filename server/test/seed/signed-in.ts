import { SESSION_COOKIE, startPersonSession } from "../../src/platform/access/credentials/session-store.ts";
import { newId } from "../../src/platform/ids.ts";
import type { TestProject, World } from "../world/world.ts";

type Wanted = { subject?: string; role_id?: string };

/** A member who is signed in to the dashboard, and the requests of their session. */
export async function signedIn(
  { ctx, url, anonymous }: World,
  project: TestProject,
  { subject = newId(), role_id = "operator" }: Wanted = {},
) {
  const { body } = await project.api.post("/v1/members", { subject, role_id });
  const { token } = await startPersonSession(ctx, {
    person: { subject, name: subject, email: null, provider: null },
    refresh_token: undefined,
    origin: { request_id: newId(), ip: "192.0.2.1", user_agent: "Test browser", base_url: url },
  });
  const cookie = `${SESSION_COOKIE}=${token}`;
  const options = { headers: { cookie, "x-project-id": project.id } };
  return {
    ...{ subject, cookie, member_id: body.id as string },
    get: (path: string) => anonymous.get(path, options),
    post: (path: string, sent?: object) => anonymous.post(path, sent, options),
    delete: (path: string) => anonymous.delete(path, options),
  };
}
