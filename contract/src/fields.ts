import Type from "typebox";
import { nullable, oneOf } from "./schema.ts";

/**
 * What each pattern asks for, for whoever tells what is wrong. Beside the schemas: a keyword of our own in them is an error
 * to strict readers.
 */
export const patternsInWords = new Map<string, string>();

export function inWords(pattern: string, words: string): string {
  patternsInWords.set(pattern, words);
  return pattern;
}

/** Fields that mean the same wherever they stand. */

export const Id = Type.String({ format: "uuid", description: "UUIDv7." });

/** Beside the name of whoever did something, since two API keys may share a name. */
export const ActorId = nullable(
  Type.String({
    description:
      "The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret.",
  }),
);

export const EndedById = Type.Optional(
  Type.String({ description: "Who ended it, when an API key or a member did: the id that audit events record." }),
);

export const CreatedByFilter = Type.String({
  minLength: 1,
  maxLength: 256,
  description: "Matches the name in `created_by`, or the id in `created_by_id`.",
});

export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601, UTC, milliseconds." });

// Written as ranges, which every reader of JSON Schema knows, and in one class, which is matched in linear time.
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029";
const DIRECTION = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const INVISIBLE =
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2065\\u206a-\\u206f\\u2800\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}";
const IN_WORDS = "must be one line with something to see, without control, invisible or direction characters";
export const NAME_PATTERN = inWords(`^[^${CONTROL}${DIRECTION}${INVISIBLE}]*$`, IN_WORDS);
/** U+FE0E and U+FE0F choose between text and picture of an emoji, and are nothing by themselves. */
const SOMETHING_TO_SEE = inWords("[^\\s\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufe0e\\ufe0f]", IN_WORDS);

export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: NAME_PATTERN,
  allOf: [{ pattern: SOMETHING_TO_SEE }],
  description: "Shown to people: one line, without control, invisible or direction characters.",
});

/** Something else than blanks. */
export const NOT_BLANK = inWords("\\S", "must not be blank");

export const Description = Type.String({ maxLength: 2000 });

export const SLUG_PATTERN = inWords(
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  "must be lower-case letters and digits, with single hyphens between them",
);

/** The name of a tag or of a piece of metadata. As a pattern: a record does not judge its keys by their length. */
export const KEY_PATTERN = inWords("^[\\s\\S]{1,64}$", "must have 1 to 64 characters");

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

/** One of the statuses, or several with commas between them. */
export function statusFilter(statuses: readonly string[]) {
  const one = `(${statuses.join("|")})`;
  const words = `must be one of ${statuses.slice(0, 50).join(", ")}, or several of them with commas between`;
  const pattern = inWords(`^${one}(,${one})*$`, words);
  return Type.String({ pattern, description: "One status, or several with commas between them." });
}
