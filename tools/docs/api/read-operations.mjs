/** The operations of the OpenAPI document by tag: `[tag, [{id, method, path, …}]]`, tags in alphabetical order. */
export function operationsByTag(document) {
  const tags = new Map();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag] = operation.tags;
      const each = { ...operation, id: operation.operationId, method: method.toUpperCase(), path };
      tags.set(tag, [...(tags.get(tag) ?? []), each]);
    }
  }
  return [...tags].sort(([a], [b]) => a.localeCompare(b));
}

/** `webhook-subscriptions` → `Webhook subscriptions` */
export function titleOf(tag) {
  const words = tag.replaceAll("-", " ").replace(/^./, (letter) => letter.toUpperCase());
  return words.replace(/^Sdk$/, "Running jobs (/sdk)").replace(/^Api /, "API ");
}

/** The component that a `$ref` names. */
export function nameOf(schema) {
  return schema?.$ref?.replace("#/components/schemas/", "");
}
