import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readExports } from "./read-exports.ts";

const HEAD = `# All exports of the SDK

Every export of \`@millrace/sdk\` and its entry points, with its type. This page is generated from the sources, and a test keeps it
up to date. [The SDK](sdk.md) explains how to use them; \`schemas\`, the objects of the API, are in the [API reference](/docs/api/schemas).
`;

/** Prints docs/reference/sdk-exports.md from the entry points of the package. */
export function printReference(sdk: string): string {
  const { exports } = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  const sections = Object.entries(exports).map(([name, source]) => {
    const parts = readExports(join(sdk, source)).map(
      (each) =>
        `### ${each.name}\n\n${each.comment && `${each.comment}\n\n`}\`\`\`ts generated\n${each.declaration}\n\`\`\`\n`,
    );
    return `## ${name.replace(".", "@millrace/sdk")}\n\n${parts.join("\n")}`;
  });
  return `${HEAD}\n${sections.join("\n")}`;
}
