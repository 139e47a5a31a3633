import { invalid } from "../../../platform/errors/errors.ts";

export const MAX_TAGS = 20;

type Tags = Record<string, string>;
type GivenTags = {
  /** The tags of the request. */
  tags?: Tags | string[] | undefined;
  /** Tags of another run: the workflow run, or the replayed one. */
  inherited_tags?: Tags | undefined;
  replay_of?: string | null | undefined;
  /** Their path in the request. */
  at?: string | undefined;
};

/**
 * The tags of a run: those of its job or workflow, overridden by the given ones. A request with too many is refused. A
 * run that the service itself starts never fails for it: a replay keeps all tags of its run; the run of a step keeps
 * the names of its job's tags, since policies depend on them, and as many inherited ones as fit.
 */
export function mergeTags(what: "job" | "workflow", own: Tags, given_tags: GivenTags): Tags {
  const { tags, inherited_tags, replay_of, at = "body" } = given_tags;
  if (tags === undefined) return inherited_tags ? inherit(own, inherited_tags, replay_of ? inherited_tags : own) : own;
  const given = readTags(tags);
  const merged = { ...own, ...given };
  const [all, of_request, of_own] = [merged, given, own].map((some) => Object.keys(some).length);
  if ((all ?? 0) <= MAX_TAGS) return merged;
  const message = `the ${of_request} here, merged with the ${of_own} of the ${what}, make ${all}; at most ${MAX_TAGS} are allowed`;
  throw invalid(`${at}.tags`, message, null);
}

/** The names in `kept` always stay; of the others as many as fit, by name. */
function inherit(own: Tags, inherited: Tags, kept: Tags): Tags {
  // The job's own object where all of it fits, in its order.
  const merged = { ...own, ...inherited };
  const others = Object.keys(merged).filter((name) => !Object.hasOwn(kept, name));
  const room = Math.max(0, MAX_TAGS - Object.keys(kept).length);
  if (others.length <= room) return merged;
  const dropped = new Set(others.toSorted().slice(room));
  return Object.fromEntries(Object.entries(merged).filter(([name]) => !dropped.has(name)));
}

/** A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
export function readTags(tags: Tags | string[] | undefined): Tags {
  return Array.isArray(tags) ? Object.fromEntries(tags.map((name) => [name, "true"])) : (tags ?? {});
}
