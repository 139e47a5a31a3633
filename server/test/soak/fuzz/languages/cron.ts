import { cronIssues, nextFires } from "../../../../src/platform/time/cron.ts";
import { type Language, must } from "./language.ts";

const NOW = "2030-03-09T12:00:00.000Z";

/** Schedules. */
export const cron: Language = {
  corpus: [
    "*/15 9-17 * * 1-5",
    "30 2 * * *",
    "0 0 L * *",
    "0 0 15W * *",
    "0 12 * * MON#1",
    "0 0 29 2 +MON",
    "@daily",
    "10-50/7 1,3,5 1-31/2 JAN-DEC SUN",
    "30 * * * * *",
  ],
  words: [
    ...["*", "/", "-", ",", "?", "L", "W", "#", "0", "1", "59", "60", "31", "7", "MON", "FEB", "@hourly", " "],
    ...["  ", "+", "999999999", "\u0000", "1-", "/0", "L-3"],
  ],
  read: (text) => {
    if (cronIssues(text, "America/New_York").length > 0) return false;
    const times = nextFires(text, "America/New_York", NOW, 3);
    must(
      times.every((time, nth) => time > (times[nth - 1] ?? NOW)),
      `the times do not rise: ${times}`,
    );
    return true;
  },
};
