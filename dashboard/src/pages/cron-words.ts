import { toString as inWords } from "cronstrue";

/** A cron expression in plain words; as it is where nobody has words for it. */
export function cronWords(cron: string): string {
  try {
    return inWords(cron, { use24HourTimeFormat: true, verbose: false });
  } catch {
    return cron;
  }
}
