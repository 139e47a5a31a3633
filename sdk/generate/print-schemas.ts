import type { OpenApiDocument } from "./openapi-document.ts";
import { comment, printType } from "./print-type.ts";

/** One exported type for each named schema. */
export function printSchemas({ components }: OpenApiDocument): string {
  const types = Object.entries(components.schemas)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `${comment(schema.description, "")}export type ${name} = ${printType(schema)};\n`);
  return `// Written by \`npm run generate\` from the contract. Do not edit.\n// biome-ignore-all format: generated\n\n${types.join("\n")}`;
}
