import type { DrainAuth } from "@millrace/contract/deliveries/log-drains";
import type { ProblemError } from "@millrace/contract/schema/problem";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { headerIssues } from "../../platform/outgoing/header-issues.ts";
import type { DrainTarget } from "./claim-drains.ts";

type Field = Exclude<keyof DrainAuth, "type">;

const NEEDED: Record<DrainAuth["type"], readonly Field[]> = {
  none: [],
  bearer: ["token"],
  basic: ["username", "password"],
  header: ["name", "value"],
};

/**
 * Reports missing fields, fields that do not belong there, and values that no header can carry. Never includes secrets.
 */
export function authIssues(auth: DrainAuth): ProblemError[] {
  const needed = NEEDED[auth.type];
  const given = Object.keys(auth).filter((name): name is Field => name !== "type");
  const missing = needed.filter((name) => auth[name] === undefined).map((name) => issue(name, "is required"));
  const surplus = given
    .filter((name) => !needed.includes(name))
    .map((name) => issue(name, `is not used with type ${auth.type}`));
  if (missing.length + surplus.length > 0) return [...missing, ...surplus];
  if (auth.type === "header")
    return headerIssues({ [auth.name ?? ""]: auth.value ?? "" }).map(({ message }) => issue("name", message));
  return headerIssues(headerOf(auth)).map(({ message }) => issue(needed.at(-1) ?? "type", message));
}

function issue(field: string, message: string): ProblemError {
  return { location: `body.auth.${field}`, message, value: null };
}

/** For storage: the visible part in plain text, and the rest encrypted. */
export async function encryptAuth(ctx: ProjectCtx, drain_id: string, auth: DrainAuth) {
  const secret = auth.token ?? auth.password ?? auth.value;
  return {
    auth_type: auth.type,
    auth_name: auth.username ?? auth.name ?? null,
    credentials:
      secret === undefined
        ? null
        : await ctx.encryption.encryptText(
            ctx.db,
            ctx.project_id,
            encryptionContextOf(ctx.project_id, drain_id),
            secret,
          ),
  };
}

/** The header that authenticates a request. */
export async function decryptAuth(ctx: Ctx, drain: DrainTarget): Promise<Record<string, string>> {
  const { project_id, id, auth_type, auth_name, credentials } = drain;
  if (credentials === null) return {};
  const secret = await ctx.encryption.decryptText(ctx.db, project_id, encryptionContextOf(project_id, id), credentials);
  if (auth_type === "header") return headerOf({ type: "header", name: auth_name ?? "", value: secret });
  if (auth_type === "basic") return headerOf({ type: "basic", username: auth_name ?? "", password: secret });
  return headerOf({ type: auth_type, token: secret });
}

function headerOf({ type, token, username, password, name, value }: DrainAuth): Record<string, string> {
  switch (type) {
    case "none":
      return {};
    case "bearer":
      return { authorization: `Bearer ${token}` };
    case "basic":
      return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
    case "header":
      return { [name ?? ""]: value ?? "" };
  }
}

function encryptionContextOf(project_id: string, drain_id: string): string {
  return `${project_id}/${drain_id}/credentials`;
}
