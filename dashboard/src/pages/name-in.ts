import { shortId } from "../parts/id.tsx";

/** The name for an id. Empty while names load, so that no id flashes up; the id itself if it has no name. */
export function nameIn(named: ReadonlyMap<string, { name: string }> | undefined, id: string): string {
  return named ? (named.get(id)?.name ?? shortId(id)) : "\u00a0";
}
