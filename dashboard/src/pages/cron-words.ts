import { toString as inWords } from "cronstrue";

/** A cron expression in plain words, or unchanged if it cannot be described. */
export function cronWords(cron: string): string {
  try {
    return inWords(cron, { use24HourTimeFormat: true, verbose: false });
  } catch {
    return cron;
  }
}
