import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { configSchema } from "./config-schema.ts";
import { type Body, KINDS } from "./kinds.ts";
import { SCHEMA_FILE } from "./load-config.ts";

const HEADER = `# yaml-language-server: $schema=./${SCHEMA_FILE}\n`;

/** Writes one file for each section, and the schema that editors complete and check them with. Returns their names. */
export function writeConfig(folder: string, config: Body): string[] {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, SCHEMA_FILE), `${JSON.stringify(configSchema(), null, 2)}\n`);
  const sections = KINDS.filter(({ shape }) => shape !== "nested").map(({ section }) => section);
  return sections.flatMap((section) => {
    const path = join(folder, `${section}.yaml`);
    if (config[section] === undefined)
      rmSync(path, { force: true }); // from an earlier export
    else
      writeFileSync(
        path,
        `${HEADER}${stringify({ [section]: config[section] }, { lineWidth: 0, aliasDuplicateObjects: false })}`,
      );
    return config[section] === undefined ? [] : [`${section}.yaml`];
  });
}
