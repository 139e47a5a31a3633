import { type Client, ValidationError } from "@millrace/sdk";

export type Issue = { location: string; message: string };

/** What the service would say to a new workflow. */
export async function newIssues(client: Client, body: Record<string, unknown>): Promise<Issue[]> {
  try {
    await client.request("POST", "/v1/workflows", { query: { dry_run: true }, body, safe: true });
    return [];
  } catch (error) {
    if (error instanceof ValidationError) return [...error.fields];
    throw error;
  }
}

/** Whether it is about an object that will exist by then: `created` has names such as `job mail`. */
export function isAboutNew({ location }: Issue, body: object, created: ReadonlySet<string>): boolean {
  const path = location
    .replace(/^body\./, "")
    .split(/[.[\]]+/)
    .filter((part) => part !== "");
  const value = path.reduce<unknown>((found, name) => (found as Record<string, unknown> | undefined)?.[name], body);
  return ["job", "workflow", "environment"].some((kind) => created.has(`${kind} ${value}`));
}
