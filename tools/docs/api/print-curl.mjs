import { nameOf } from "./read-operations.mjs";

const MAX_DEPTH = 4;

/** A curl command with the required fields of the body. */
export function printCurl(operation, document) {
  const { method, path } = operation;
  const parts = [`curl -s${method === "GET" ? "" : ` -X ${method}`} "$MILLRACE_BASE_URL${pathOf(operation)}"`];
  if (operation.security?.length > 0)
    parts.push(`-H "Authorization: Bearer ${path.startsWith("/sdk/") ? "$RUN_TOKEN" : "$MILLRACE_API_KEY"}"`);
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  if (schema) {
    parts.push(
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(sampleOf(schema, document, 0)).replaceAll("'", "'\\''")}'`,
    );
  }
  return parts.join(" \\\n  ");
}

/** Path parameters become shell variables: `{runID}` → `$RUN_ID`. */
function pathOf({ path, parameters = [] }) {
  const query = parameters.filter((each) => each.in === "query" && each.required).map(({ name }) => `${name}=…`);
  const named = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => `$${name.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toUpperCase()}`,
  );
  return query.length > 0 ? `${named}?${query.join("&")}` : named;
}

/** A value that the schema describes, with required fields only. */
function sampleOf(schema, document, depth) {
  const name = nameOf(schema);
  if (name) return sampleOf(document.components.schemas[name], document, depth + 1);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return sampleOf(choice, document, depth + 1);
  return sampleOfType(schema, document, depth);
}

function sampleOfType(schema, document, depth) {
  const [type] = [schema.type].flat();
  if (type === "object") {
    const names = depth > MAX_DEPTH ? [] : (schema.required ?? []);
    return Object.fromEntries(
      names.map((each) => [each, sampleOf(schema.properties?.[each] ?? {}, document, depth + 1)]),
    );
  }
  if (type === "array") return schema.minItems > 0 ? [sampleOf(schema.items ?? {}, document, depth + 1)] : [];
  if (type === "integer" || type === "number") return schema.minimum ?? 1;
  if (type === "boolean") return true;
  if (schema.format === "uri") return "https://example.com/";
  if (schema.format === "date-time") return "2030-01-01T00:00:00Z";
  return type === "string" ? "…" : {};
}
