import Type from "typebox";
import { nullable, oneOf } from "./schema.ts";

/**
 * Describes each pattern for error messages. Kept outside the schemas, where a custom keyword is an error in strict
 * validators.
 */
export const patternsInWords = new Map<string, string>();

export function inWords(pattern: string, words: string): string {
  patternsInWords.set(pattern, words);
  return pattern;
}

/** Fields shared by many objects. */

export const Id = Type.String({ format: "uuid", description: "UUIDv7." });

/** Accompanies the actor's name, since two API keys may have the same name. */
export const ActorId = nullable(
  Type.String({
    description:
      "Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret.",
  }),
);

export const EndedById = Type.Optional(
  Type.String({ description: "Actor that ended it, if it was an API key or a member: the id used in audit events." }),
);

export const CreatedByFilter = Type.String({
  minLength: 1,
  maxLength: 256,
  description: "Matches the name in `created_by` or the id in `created_by_id`.",
});

export const Timestamp = Type.String({
  format: "date-time",
  description: "ISO 8601 timestamp in UTC with milliseconds.",
});

// Written as ranges, which every JSON Schema validator supports, in one class, which matches in linear time.
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029";
const DIRECTION = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const INVISIBLE =
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2065\\u206a-\\u206f\\u2800\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}";
const NAME_RULE =
  "must be one line with at least one visible character, and no control, invisible or text-direction characters";
export const NAME_PATTERN = inWords(`^[^${CONTROL}${DIRECTION}${INVISIBLE}]*$`, NAME_RULE);
/** U+FE0E and U+FE0F select the text or emoji style of a character and are invisible on their own. */
const VISIBLE_CHARACTER = inWords("[^\\s\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufe0e\\ufe0f]", NAME_RULE);

export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: NAME_PATTERN,
  allOf: [{ pattern: VISIBLE_CHARACTER }],
  description: "Display name: one line, without control, invisible or text-direction characters.",
});

/** At least one non-whitespace character. */
export const NOT_BLANK = inWords("\\S", "must not be blank");

export const Description = Type.String({ maxLength: 2000 });

export const SLUG_PATTERN = inWords(
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  "must be lower-case letters and digits, with single hyphens between them",
);

/** Key of a tag or metadata entry. A pattern, because records do not validate the length of their keys. */
export const KEY_PATTERN = inWords("^[\\s\\S]{1,64}$", "must have 1 to 64 characters");

export const Slug = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: SLUG_PATTERN,
  description: "Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is.",
});

/** Accepted by every request that belongs to a project. An API key implies its own project. */
export const ProjectIdQuery = Type.String({
  minLength: 1,
  maxLength: 63,
  description: "Project id or slug. Optional with an API key, and must then match its project.",
});

export const Limit = Type.Integer({ minimum: 1, maximum: 100, default: 50, description: "Page size." });

export const Cursor = Type.String({ description: "`next_cursor` of the previous page." });

export const Order = oneOf(["asc", "desc"], "`asc` lists the oldest first, `desc` the newest.");

/** Query parameters of every list. */
export const paging = { limit: Type.Optional(Limit), cursor: Type.Optional(Cursor), order: Type.Optional(Order) };

/** The longest key, in which every character may need a backslash, plus the longest value. */
export const MAX_TAG_FILTER_LENGTH = 2 * 64 + 1 + 256;

export const TagFilter = Type.String({
  minLength: 1,
  maxLength: MAX_TAG_FILTER_LENGTH,
  description: "`key` or `key:value`, split at the first colon. Escape a colon inside the key as `\\:`.",
});

const UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
/** The default page size. */
export const IdsFilter = Type.String({
  pattern: inWords(`^${UUID}(,${UUID}){0,49}$`, "must be an id, or up to 50 separated by commas"),
  description: "One id, or up to 50 separated by commas.",
});

export const JobRef = Type.String({ minLength: 1, maxLength: 63, description: "Job id or slug." });

export const EnvironmentRef = Type.String({ minLength: 1, maxLength: 63, description: "Environment id or slug." });

export const PayloadContains = Type.String({
  minLength: 1,
  maxLength: 4_000,
  description: 'JSON that the payload must contain: `{"user":{"id":42}}`. Numbers and strings do not match each other.',
});

/** Filters a list by creation time. */
export const createdWithin = {
  from: Type.Optional(Type.String({ format: "date-time", description: "Created at this time or later." })),
  to: Type.Optional(Type.String({ format: "date-time", description: "Created before this time." })),
};

/** One status, or several separated by commas. */
export function statusFilter(statuses: readonly string[]) {
  const one = `(${statuses.join("|")})`;
  const words = `must be one of ${statuses.slice(0, 50).join(", ")}, or several of them separated by commas`;
  const pattern = inWords(`^${one}(,${one})*$`, words);
  return Type.String({ pattern, description: "One status, or several separated by commas." });
}
