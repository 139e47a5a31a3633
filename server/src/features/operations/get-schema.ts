import { namedSchemas } from "@millrace/contract/schema";
import { notFound } from "../../platform/errors/errors.ts";

/** `Project.json` → the schema of a Project, with references to other schemas as they are served here. */
export function getSchema(fileName: string): string {
  const name = /^(\w+)\.json$/.exec(fileName)?.[1];
  const schema = name === undefined ? undefined : namedSchemas.get(name);
  if (!schema) throw notFound("schema");
  const document = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...schema,
    $id: `${name}.json`,
    title: name,
  };
  return JSON.stringify(document, (key, value) =>
    key === "$ref" && typeof value === "string" ? value.replace(/^(\w+)#$/, "$1.json") : value,
  );
}
