import { CommandError } from "../command-error.ts";

/** `region=eu` and `region:eu` set a value; `urgent` is short for `urgent=true`. */
export function readTags(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, key, value] = /^([^=:]+)(?:[=:]([\s\S]*))?$/.exec(text) ?? [];
      if (!key)
        throw new CommandError("usage", `"${text}" is not a valid tag.`, [
          "Write it as --tag region=eu, or --tag urgent.",
        ]);
      return [key, value ?? "true"];
    }),
  );
}
