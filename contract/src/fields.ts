import Type from "typebox";
import { oneOf } from "./schema.ts";

/** Fields that mean the same wherever they stand. */

export const Id = Type.String({ format: "uuid", description: "UUIDv7." });

export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601, UTC, milliseconds." });

export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: "\\S", description: "Shown to people." });

export const Description = Type.String({ maxLength: 2000 });

export const SLUG_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$";

export const Slug = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: SLUG_PATTERN,
  description: "Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does.",
});

/** Accepted on every request that concerns a project; an API key implies its own. */
export const ProjectIdQuery = Type.String({
  minLength: 1,
  maxLength: 63,
  description: "Project id or slug. Implied by an API key, and must then match.",
});

export const Limit = Type.Integer({ minimum: 1, maximum: 100, default: 50, description: "Page size." });

export const Cursor = Type.String({ description: "`next_cursor` of the page before." });

export const Order = oneOf(["asc", "desc"], "Oldest or newest first.");

/** The query parameters of every list. */
export const paging = { limit: Type.Optional(Limit), cursor: Type.Optional(Cursor), order: Type.Optional(Order) };

/** Of the longest key, each character of which may need a backslash, and the longest value. */
export const LONGEST_TAG_FILTER = 2 * 64 + 1 + 256;

export const TagFilter = Type.String({
  minLength: 1,
  maxLength: LONGEST_TAG_FILTER,
  description: "`key`, or `key:value`: the first colon divides. A colon of the key itself is written `\\:`.",
});

export const JobRef = Type.String({ minLength: 1, maxLength: 63, description: "Job id or slug." });

export const EnvironmentRef = Type.String({ minLength: 1, maxLength: 63, description: "Environment id or slug." });

export const PayloadContains = Type.String({
  minLength: 1,
  maxLength: 4_000,
  description: 'JSON that the payload contains: `{"user":{"id":42}}`. Numbers and strings are not the same.',
});

/** A list of what was created within a time. */
export const createdWithin = {
  from: Type.Optional(Type.String({ format: "date-time", description: "Created at this time or later." })),
  to: Type.Optional(Type.String({ format: "date-time", description: "Created before this time." })),
};

/**
 * The words that each pattern of `statusFilter` is made of, for whoever tells what is wrong. Beside the schemas: a keyword of
 * our own in them is an error to strict readers.
 */
export const wordsOfPatterns = new Map<string, readonly string[]>();

/** One of the statuses, or several with commas between them. */
export function statusFilter(statuses: readonly string[]) {
  const one = `(${statuses.join("|")})`;
  const pattern = `^${one}(,${one})*$`;
  wordsOfPatterns.set(pattern, statuses);
  return Type.String({ pattern, description: "One status, or several with commas between them." });
}
