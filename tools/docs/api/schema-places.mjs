import { nameOf } from "./read-operations.mjs";

/**
 * The page that shows each schema of the document, by name: the page of the only tag that uses it, else `api/schemas`.
 * All of them on one page were 56,000 elements.
 */
export function schemaPlaces(document) {
  const tags = new Map();
  for (const methods of Object.values(document.paths)) {
    for (const operation of Object.values(methods)) {
      for (const name of schemasIn(operation, document, new Set())) {
        tags.set(name, (tags.get(name) ?? new Set()).add(operation.tags[0]));
      }
    }
  }
  const placeOf = ([tag, ...others]) => (tag === undefined || others.length > 0 ? "api/schemas" : `api/${tag}`);
  const names = Object.keys(document.components.schemas).sort((a, b) => a.localeCompare(b));
  return new Map(names.map((name) => [name, placeOf([...(tags.get(name) ?? [])])]));
}

/** The names of all schemas to which a part of the document refers, also through others. */
function schemasIn(part, document, found) {
  if (part === null || typeof part !== "object") return found;
  const name = nameOf(part);
  if (name !== undefined && !found.has(name)) {
    found.add(name);
    schemasIn(document.components.schemas[name], document, found);
  }
  for (const each of Object.values(part)) schemasIn(each, document, found);
  return found;
}
