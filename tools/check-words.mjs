import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./ensure-installed.mjs";

// `npm run lint:words`: words that the field has a better one for. GLOSSARY.md lists the words to use.
const RETIRED = [
  [/\b(un)?born\b/i, "created, inserted"],
  [/\b(bear|bears|bore)\b/i, "create, insert"],
  [/foresee|foreseen|foretold/i, "preview"],
  [/\b(duty|duties)\b/i, "background task"],
  [/\b(strikes?|struck) (it |them |each )?off\b/i, "ack an outbox entry"],
  [/\bin[- ]hand\b|InHand\b/, "loaded"],
  [/\b(un)?told\b/i, "published, notified, reported, returned"],
  [/\bput right\b/i, "repaired"],
  [/\b(parked|unpark\w*)\b/i, "blocked, unblock"],
  [/\bkeeper\b/i, "supervisor"],
  [/\bpatience\b/i, "timeout, retry budget"],
  [/\b(is_alike|isAlike|IS_ALIKE)\b/, "uniform"],
  [/\b(given_back|to_be_retried)\b/, "aborted, retryable"],
  [/passed[_ ]?over\b/i, "skipped"],
  [/\b(un)?booked\b|\bbook(Runs|Usage)\b/i, "recorded"],
  [/\b(behaviour|colour|favour|normalise|recognise|dialled)\w*/i, "the American spelling"],
];

// The changelog and these migrations name what was renamed.
const EXEMPT = [
  /^tools\/check-words\.mjs$/,
  /^CHANGELOG\.md$/,
  /package-lock\.json$/,
  /^server\/migrations\/00(11|13|21)_/,
];

const { stdout } = spawnSync("git", ["ls-files"], { cwd: root, encoding: "utf8" });
const files = stdout.split("\n").filter((path) => /\.(ts|tsx|mjs|mts|md|json|sql|yml)$/.test(path));
const found = files.filter((path) => !EXEMPT.some((each) => each.test(path))).flatMap(findIn);
for (const line of found) process.stderr.write(`${line}\n`);
if (found.length > 0) fail(`${found.length} retired words; see GLOSSARY.md`);

function findIn(path) {
  const lines = readFileSync(join(root, path), "utf8").split("\n");
  return lines.flatMap((line, nth) =>
    RETIRED.flatMap(([word, use]) => {
      const match = line.match(word);
      return match ? [`${path}:${nth + 1}: "${match[0]}": use ${use}`] : [];
    }),
  );
}
