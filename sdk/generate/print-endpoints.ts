import type { OpenApiDocument } from "./openapi-document.ts";
import { comment, printType } from "./print-type.ts";
import { type Endpoint, readEndpoints, successes } from "./read-endpoints.ts";

/** The types of every endpoint, and the table of nouns and verbs that the client is made of. */
export function printEndpoints(document: OpenApiDocument): string {
  const endpoints = readEndpoints(document);
  return [
    "// Written by `npm run generate` from the contract. Do not edit.\n// biome-ignore-all format: generated\n",
    'import type * as schemas from "./schemas.ts";\n',
    "/** What every endpoint takes and answers. */",
    `export type Endpoints = {\n${endpoints.map((each) => printEndpoint(document, each)).join("\n")}\n};\n`,
    "/** Under which noun and verb the client has each endpoint. */",
    `export const ENDPOINTS = {\n${printNouns(endpoints)}\n} as const;\n`,
  ].join("\n");
}

function printEndpoint(document: OpenApiDocument, { method, path, operation, kind }: Endpoint): string {
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  const lines = [
    `params: ${printParams(path)};`,
    `query: ${printQuery(operation)};`,
    `body: ${body ? printType(body, "schemas.", "    ") : "undefined"};`,
    `answer: ${printAnswer(operation)};`,
    ...(kind === "list" ? [`item: ${printItem(document, operation)};`] : []),
  ];
  return `  "${method} ${path}": {\n${lines.map((line) => `    ${line}`).join("\n")}\n  };`;
}

function printParams(path: string): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.length === 0 ? "Record<never, string>" : `{ ${names.map((name) => `${name}: string`).join("; ")} }`;
}

function printQuery({ parameters = [] }: Endpoint["operation"]): string {
  // The client shows its key in the header `Authorization`.
  const asked = parameters.filter((parameter) => parameter.in === "query" && parameter.name !== "token");
  if (asked.length === 0) return "Record<never, never>";
  const fields = asked.map(({ name, required, schema, description }) => {
    const type = printType(schema);
    return `${comment(description, "      ")}      ${name}${required ? "" : "?"}: ${required ? type : `${type} | undefined`};`;
  });
  return `{\n${fields.join("\n")}\n    }`;
}

function printAnswer(operation: Endpoint["operation"]): string {
  const types = successes(operation).map(({ type, schema }) => {
    if (!/^application\/([\w.-]+\+)?json\b/.test(type)) return "string";
    return schema ? printType(schema, "schemas.", "    ") : "unknown";
  });
  return types.length === 0 ? "undefined" : [...new Set(types)].join(" | ");
}

function printItem(document: OpenApiDocument, operation: Endpoint["operation"]): string {
  const name = successes(operation)[0]?.schema?.$ref?.split("/").at(-1) ?? "";
  const item = document.components.schemas[name]?.properties?.data?.items;
  return item ? printType(item, "schemas.", "    ") : "unknown";
}

function printNouns(endpoints: Endpoint[]): string {
  const nouns = [...new Set(endpoints.map(({ noun }) => noun))].toSorted();
  return nouns
    .map((noun) => {
      const verbs = endpoints
        .filter((each) => each.noun === noun)
        .map(
          (each) =>
            `${comment(each.operation.summary, "    ")}    ${each.verb}: ["${each.method}", "${each.path}", "${each.kind}"],`,
        );
      return `  ${noun}: {\n${verbs.join("\n")}\n  },`;
    })
    .join("\n");
}
