import { invalid } from "../platform/errors.ts";

export const MOST_TAGS = 20;

type Tags = Record<string, string>;
type GivenTags = {
  /** What somebody asks for. */
  tags?: Tags | string[] | undefined;
  /** What comes from another run: the run of a workflow, or the one that is replayed. */
  inherited_tags?: Tags | undefined;
  /** Where in the request they stand. */
  at?: string | undefined;
};

/**
 * The tags of a run: those of its job or workflow, with the given ones laid over them. Too many are refused where somebody
 * asks. A run that the service starts is never lost for it: what it inherits stays, and of the others as many as there is
 * room for, by name.
 */
export function mergeTags(what: "job" | "workflow", own: Tags, { tags, inherited_tags, at = "body" }: GivenTags): Tags {
  if (tags === undefined) return inherited_tags ? inherit(own, inherited_tags) : own;
  const given = readTags(tags);
  const merged = { ...own, ...given };
  const [all, asked, of_own] = [merged, given, own].map((some) => Object.keys(some).length);
  if ((all ?? 0) <= MOST_TAGS) return merged;
  const message = `${asked} here and ${of_own} of the ${what} make ${all} tags, and ${MOST_TAGS} is the most`;
  throw invalid(`${at}.tags`, message, null);
}

function inherit(own: Tags, inherited: Tags): Tags {
  const others = Object.keys(own).filter((name) => !(name in inherited));
  const room = Math.max(0, MOST_TAGS - Object.keys(inherited).length);
  // The job's very own where there is room for all, in their order.
  if (others.length <= room) return { ...own, ...inherited };
  const kept = others.toSorted().slice(0, room);
  return { ...Object.fromEntries(kept.map((name) => [name, own[name] ?? ""])), ...inherited };
}

/** A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
export function readTags(tags: Tags | string[] | undefined): Tags {
  return Array.isArray(tags) ? Object.fromEntries(tags.map((name) => [name, "true"])) : (tags ?? {});
}
