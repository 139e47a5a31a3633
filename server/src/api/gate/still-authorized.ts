import { scopesBeyond } from "@millrace/contract/access/scopes";
import { findMember } from "../../platform/access/credentials/member-cache.ts";
import type { Caller, Ctx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import type { ApiRequest } from "../http-messages.ts";
import { authenticate } from "./authenticate.ts";
import { readCredential } from "./credential.ts";

type MemberIn = NonNullable<ApiRequest["memberIn"]>;

/**
 * Whether the credential of a request that has been open for long still holds: otherwise streams and polls would outlive
 * the expiry and revocation of their key, and a membership. True if it cannot be checked now.
 */
export async function isStillAuthorized(
  ctx: Ctx,
  { headers, memberIn }: Pick<ApiRequest, "headers" | "memberIn">,
): Promise<boolean> {
  let caller: Caller;
  try {
    ({ caller } = await authenticate(ctx, readCredential(headers)));
  } catch (error) {
    return !(error instanceof ApiError);
  }
  return caller.kind !== "member" || !memberIn || isStillMember(ctx, caller.subject, memberIn);
}

/** A member whose role changed may reconnect, and sees what the new role allows. */
async function isStillMember(ctx: Ctx, subject: string, { project_id, scopes }: MemberIn): Promise<boolean> {
  const member = await findMember(ctx, project_id, subject);
  return member !== undefined && scopesBeyond(member.scopes, scopes).length === 0;
}
