import { AssignMember, type AssignMembers, type MemberResults } from "@millrace/contract/members";
import { forgetMembers } from "../../platform/access/credentials/member-cache.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { compileJsonSchema } from "../../platform/json-schema/compile-json-schema.ts";
import { assignMember } from "./assign-member.ts";

type Result = MemberResults["results"][number];

/** Each separately: an error in one does not affect the others. */
export async function assignMembers(ctx: ProjectCtx, { members }: AssignMembers): Promise<MemberResults> {
  const results: Result[] = [];
  for (const [index, requested] of members.entries()) results.push(await assignOne(ctx, index, requested));
  forgetMembers(ctx);
  return { results };
}

async function assignOne(ctx: ProjectCtx, index: number, requested: AssignMembers["members"][number]): Promise<Result> {
  const { subject } = requested;
  const at = `body.members[${index}]`;
  const failed = (error: string): Result => ({ index, subject, member_id: null, status: "failed", error });
  const issue = issueOf(requested, at);
  if (issue !== undefined) return failed(issue);
  try {
    const { member, status } = await inTransaction(ctx, (tx) => assignMember(tx, requested, at));
    return { index, subject, member_id: member.id, status, error: null };
  } catch (error) {
    if (error instanceof ApiError)
      return failed(error.message.startsWith(at) ? error.message : `${at}: ${error.message}`);
    throw error;
  }
}

const check = compileJsonSchema(AssignMember as unknown as Record<string, unknown>);

function issueOf(requested: object, at: string): string | undefined {
  if (!check.ok) throw new Error("the schema of a member does not compile");
  const [issue] = check.validate(requested);
  return issue && `${at}${issue.location}: ${issue.message}`;
}
