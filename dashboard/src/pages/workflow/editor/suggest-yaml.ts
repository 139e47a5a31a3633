import type { Suggestion, Suggestions } from "../../../parts/code/suggestions.ts";

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  examples?: unknown[];
  type?: unknown;
};

/** Completes names and values of a definition in YAML, line by line. */
export function suggestYaml(schema: Schema, text: string, caret: number): Suggestions | undefined {
  const line = text.slice(text.lastIndexOf("\n", caret - 1) + 1, caret);
  const step = schema.properties?.steps?.items;
  const name = /^(\s*)(?:-\s+)?(\w*)$/.exec(line);
  if (name) {
    const [, indent = "", typed = ""] = name;
    const isStep = indent.length > 0 || line.trimStart().startsWith("-");
    return offered(namesOf(isStep ? step : schema), typed, caret);
  }
  const value = /^\s*(?:-\s+)?(\w+):\s*(?:\[(?:[^\]]*,)?\s*)?([\w-]*)$/.exec(line);
  const field = value && (step?.properties?.[value[1] ?? ""] ?? schema.properties?.[value[1] ?? ""]);
  return field ? offered(valuesOf(field), value[2] ?? "", caret) : undefined;
}

function offered(options: Suggestion[], typed: string, caret: number): Suggestions {
  const fitting = options.filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()));
  return { from: caret - typed.length, to: caret, options: fitting };
}

function namesOf(schema: Schema | undefined): Suggestion[] {
  return Object.entries(schema?.properties ?? {}).map(([label, { type }]) => ({
    label,
    insert: `${label}: `,
    hint: [type].flat().filter(Boolean).join(", "),
  }));
}

function valuesOf({ enum: values, examples, items, type }: Schema): Suggestion[] {
  const all = [
    ...(values ?? []),
    ...(examples ?? []),
    ...(items?.examples ?? []),
    ...(type === "boolean" ? [true, false] : []),
  ];
  return all.map((each) => ({ label: String(each), insert: String(each) }));
}
