import { canonicalName, withoutCoreSchema } from "./attribute-names.ts";

export type Op = "add" | "remove" | "replace";
/** `emails[type eq "work"].value`: the name, the attribute and value of the filter, and the sub-attribute. */
export type Path = { name: string; by: string | undefined; equal: string; part: string | undefined };

/** Undefined: an attribute of another schema, which is not stored. */
export function readPath(path: string): Path | undefined {
  const parts = /^(\w+)(?:\[\s*(\w+)\s+eq\s+"([^"]*)"\s*\])?(?:\.(\w+))?$/i.exec(withoutCoreSchema(path));
  if (!parts) return undefined;
  const [, name = "", by, equal = "", part] = parts;
  return { name: canonicalName(name), by: by?.toLowerCase(), equal, part };
}
