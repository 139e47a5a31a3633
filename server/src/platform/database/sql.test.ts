import { describe, expect, it } from "vitest";
import { type Sql, sql } from "./sql.ts";

/** What would be sent. */
async function sent(statement: Sql): Promise<[text: string, parameters: unknown[]]> {
  let seen: [string, unknown[]] = ["", []];
  const query = async (text: string, parameters: unknown[]) => {
    seen = [text, parameters];
    return { rows: [], rowCount: 0 };
  };
  await statement.execute({ query });
  return seen;
}

describe("a statement", () => {
  it("sends its values as parameters, numbered across its parts", async () => {
    const owned = sql`owner = ${"o'brien"} or owner is null`;
    const statement = sql`select ${1} from jobs where (${owned}) and id = any(${["a", "b"]})`;
    expect(await sent(statement)).toEqual([
      "select $1 from jobs where (owner = $2 or owner is null) and id = any($3)",
      [1, "o'brien", ["a", "b"]],
    ]);
  });

  it("may use a part twice", async () => {
    const part = sql`x = ${1}`;
    expect(await sent(sql`${part} and ${part}`)).toEqual(["x = $1 and x = $2", [1, 1]]);
  });

  it("quotes names and constants", async () => {
    const statement = sql`${sql.id('a"b')} ${sql.ref("r.status")} ${sql.lit("it's")} ${sql.lit(5)} ${sql.lit(null)}`;
    expect(await sent(statement)).toEqual([`"a""b" "r"."status" 'it''s' 5 null`, []]);
  });

  it("joins values and parts", async () => {
    expect(await sent(sql`(${sql.join([1, sql`now()`, "x"])})`)).toEqual(["($1, now(), $2)", [1, "x"]]);
    expect(await sent(sql`(${sql.join([sql`a`, sql`b`], sql` or `)})`)).toEqual(["(a or b)", []]);
    expect(await sent(sql`(${sql.join([])})`)).toEqual(["()", []]);
  });
});
