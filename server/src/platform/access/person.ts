import { type ScopeList, scopesBeyond } from "@millrace/contract/access/scopes";
import type { Caller, CallerCtx } from "../context.ts";
import { type Sql, sql } from "../database/sql.ts";
import { ApiError } from "../errors/errors.ts";

/** The subject of a person. Null also for a personal key: it acts for its person in a project, but not about them. */
export function subjectOfPerson({ caller }: Pick<CallerCtx, "caller">): string | null {
  return caller.kind === "member" && !caller.key ? caller.subject : null;
}

export function requirePerson(ctx: Pick<CallerCtx, "caller">, otherwise: string): string {
  const subject = subjectOfPerson(ctx);
  if (subject === null) throw new ApiError("forbidden", otherwise);
  return subject;
}

/** The projects that a person may read; with a personal key, that of the key. */
export function projectsOfMember({ subject, key }: Extract<Caller, { kind: "member" }>): Sql {
  const bound = key ? sql`and m.project_id = ${key.project_id}` : sql``;
  return sql`(select m.project_id from members m where m.subject = ${subject} ${bound})`;
}

/** What a personal key was given of its person's scopes. Null: all. */
export function scopesWithin(held: readonly string[], given: ScopeList): readonly string[] {
  if (given === null) return held;
  const beyond = new Set(scopesBeyond(held, given));
  return given.filter((scope) => !beyond.has(scope));
}
