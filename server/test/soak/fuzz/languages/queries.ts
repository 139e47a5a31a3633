import { parseQuery } from "@millrace/contract/query-language/parse-query";
import { printQuery } from "@millrace/contract/query-language/print";
import { type Language, must, same } from "./language.ts";

/** Searches for runs. */
export const queries: Language = {
  corpus: [
    "status:failed,timed_out -tag:noise job:send-mail version:12",
    'payload.user.id:42 payload:{"a": 1} duration:>30s',
    'error:"ECONNRESET" is:unhandled since:24h until:2026-11-01',
    "tag.customer:ann attempts:>=2 cost:<0.5",
    "alice -bob",
  ],
  words: [
    ...["status:", "-", ":", ",", '"', "{", "}", "payload.", "tag.", ">", "<=", "since:", "24h", "\\", " "],
    ...["failed", "1e400", "--", "(", ")", "\u0000", "is:", "__proto__", "[", "null", "\u202e"],
  ],
  read: (text) => {
    const one = parseQuery(text);
    if (!one.ok) {
      must(one.issues.length > 0, "refused without an issue");
      return false;
    }
    const conditions = one.terms.map(({ condition }) => condition);
    const again = parseQuery(printQuery(conditions));
    must(again.ok, `its print is refused: ${printQuery(conditions)}`);
    if (again.ok)
      must(
        same(
          again.terms.map(({ condition }) => condition),
          conditions,
        ),
        "its print is another query",
      );
    return true;
  },
};
