import { invalid } from "../platform/errors.ts";

export const MOST_TAGS = 20;

type Tags = Record<string, string>;
type GivenTags = {
  /** What somebody asks for. */
  tags?: Tags | string[] | undefined;
  /** What comes from another run: the run of a workflow, or the one that is replayed. */
  inherited_tags?: Tags | undefined;
  replay_of?: string | null | undefined;
  /** Where in the request they stand. */
  at?: string | undefined;
};

/**
 * The tags of a run: those of its job or workflow, with the given ones laid over them. Too many are refused where somebody
 * asks. A run that the service starts is never lost for it. A replay keeps all tags of its run. The run of a step keeps the
 * names of its job's, since policies rest on them, and of what it inherits beside them as many as there is room for.
 */
export function mergeTags(what: "job" | "workflow", own: Tags, given_tags: GivenTags): Tags {
  const { tags, inherited_tags, replay_of, at = "body" } = given_tags;
  if (tags === undefined) return inherited_tags ? inherit(own, inherited_tags, replay_of ? inherited_tags : own) : own;
  const given = readTags(tags);
  const merged = { ...own, ...given };
  const [all, asked, of_own] = [merged, given, own].map((some) => Object.keys(some).length);
  if ((all ?? 0) <= MOST_TAGS) return merged;
  const message = `${asked} here and ${of_own} of the ${what} make ${all} tags, and ${MOST_TAGS} is the most`;
  throw invalid(`${at}.tags`, message, null);
}

/** The names in `kept` stay in any case; of the others as many as there is room for, by name. */
function inherit(own: Tags, inherited: Tags, kept: Tags): Tags {
  // The job's very own where there is room for all, in their order.
  const merged = { ...own, ...inherited };
  const others = Object.keys(merged).filter((name) => !Object.hasOwn(kept, name));
  const room = Math.max(0, MOST_TAGS - Object.keys(kept).length);
  if (others.length <= room) return merged;
  const dropped = new Set(others.toSorted().slice(room));
  return Object.fromEntries(Object.entries(merged).filter(([name]) => !dropped.has(name)));
}

/** A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
export function readTags(tags: Tags | string[] | undefined): Tags {
  return Array.isArray(tags) ? Object.fromEntries(tags.map((name) => [name, "true"])) : (tags ?? {});
}
