import { shortId } from "../parts/id.tsx";

/** The name of what has this id. Blank until names are there, so that no id blinks; the id of what is not among them. */
export function nameIn(named: ReadonlyMap<string, { name: string }> | undefined, id: string): string {
  return named ? (named.get(id)?.name ?? shortId(id)) : "\u00a0";
}
