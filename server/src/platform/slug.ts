import { randomBytes } from "node:crypto";
import { SLUG_PATTERN } from "@millrace/contract/schema/fields";
import type { ProblemError } from "@millrace/contract/schema/problem";
import { ApiError } from "./errors/errors.ts";
import { throwIssues } from "./errors/issues.ts";
import { isId } from "./ids.ts";

const MAX_LENGTH = 63;
const SLUG = new RegExp(SLUG_PATTERN);

/** Inserts under the given slug, or under one derived from the name, which gets a suffix when it is taken. */
export async function insertWithSlug<T>(
  { slug, name }: { slug?: string | undefined; name: string },
  insert: (slug: string) => Promise<T | undefined>,
): Promise<T> {
  refuseIdAsSlug(slug);
  const wanted = slug ?? slugFromName(name);
  const created = (await insert(wanted)) ?? (slug === undefined ? await insert(withRandomSuffix(wanted)) : undefined);
  if (created === undefined) throw slugTaken(wanted);
  return created;
}

/** Derives a slug from a name: letters and digits joined by single hyphens. */
function slugFromName(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const slug = words.join("-").slice(0, 50).replace(/-$/, "");
  return slug && !isId(slug) ? slug : `unnamed-${randomSuffix()}`;
}

function withRandomSuffix(slug: string): string {
  return `${slug.slice(0, MAX_LENGTH - 7)}-${randomSuffix()}`;
}

/** A string that cannot be a slug need not be looked up. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_LENGTH && SLUG.test(text);
}

/** A slug works wherever the id does, so it must never look like one. */
export function slugIssues(slug: string | undefined): ProblemError[] {
  const isBad = slug !== undefined && isId(slug);
  return isBad ? [{ location: "body.slug", message: "must not look like an id", value: slug }] : [];
}

export function refuseIdAsSlug(slug: string | undefined): void {
  throwIssues(slugIssues(slug));
}

export function slugTaken(slug: string | undefined): ApiError {
  return new ApiError("slug_taken", `The slug ${slug} is taken.`, {
    errors: [{ location: "body.slug", message: "is taken", value: slug }],
  });
}

function randomSuffix(): string {
  return randomBytes(3).toString("hex");
}
