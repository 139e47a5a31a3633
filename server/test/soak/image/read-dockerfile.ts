export type Instruction = { name: string; flags: Record<string, string>; text: string };
export type Stage = { name: string; from: string; instructions: Instruction[] };

/** What a Dockerfile here may contain. An unknown instruction fails: the suite would not run what it does. */
const KNOWN = new Set([
  ...["COPY", "RUN", "WORKDIR", "ENV", "USER", "LABEL", "VOLUME", "EXPOSE", "STOPSIGNAL"],
  ...["HEALTHCHECK", "ENTRYPOINT", "CMD"],
]);

/** The stages of a Dockerfile, with the values of its ARGs. */
export function readDockerfile(text: string): Stage[] {
  const args = new Map<string, string>();
  const fill = (value: string) => value.replaceAll(/\$\{(\w+)\}/g, (_, name) => args.get(name) ?? "");
  const stages: Stage[] = [];
  for (const instruction of instructionsOf(text)) {
    const { name, text: rest } = instruction;
    if (name === "ARG") {
      const [key = "", value = ""] = rest.split("=");
      args.set(key, value);
    } else if (name === "FROM") {
      const [from = "", , as = `${stages.length}`] = fill(rest).split(/\s+/);
      stages.push({ name: as, from, instructions: [] });
    } else if (KNOWN.has(name)) stages.at(-1)?.instructions.push(instruction);
    else throw new Error(`the instruction ${name} is not known`);
  }
  return stages;
}

function instructionsOf(text: string): Instruction[] {
  const lines = text.split("\n").filter((line) => !line.startsWith("#"));
  const joined = lines.join("\n").replaceAll(/\\\n\s*/g, "");
  return joined
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      const flags = [...rest.matchAll(/(?:^|\s)--(\w[\w-]*)=(\S+)/g)].map(([, key, value]) => [key, value]);
      const isFlagged = name === "COPY" || name === "HEALTHCHECK";
      const left = isFlagged ? rest.replaceAll(/(?:^|\s)--\w[\w-]*=\S+/g, "").trim() : rest;
      return { name, flags: isFlagged ? Object.fromEntries(flags) : {}, text: left };
    });
}

/** `A=1 B="two words"` */
export function pairsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\w[\w.]*)=(?:"([^"]*)"|(\S+))/g)];
  return Object.fromEntries(pairs.map(([, key = "", quoted, plain]) => [key, quoted ?? plain ?? ""]));
}
