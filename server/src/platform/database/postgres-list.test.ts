import fc from "fast-check";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../test/seed/seed.ts";
import { LIST_TYPES, listFromPostgres } from "./postgres-types.ts";

fc.configureGlobal({ seed: testSeed("postgres-list") });

const byPg: (text: string) => unknown = pg.types.getTypeParser(1_009 as never, "text");

describe("lists of texts from PostgreSQL", () => {
  it.each([
    "{}",
    "{a}",
    "{completed,running}",
    "{0198c0de-0000-7000-8000-000000000000,0198c0de-0000-7000-8000-000000000001}",
    "{NULL,a}",
    '{"NULL",a}',
    '{"a,b","c\\"d","e\\\\f","{}",""}',
    "{{a,b},{c,d}}",
    "[0:1]={a,b}",
    "{nullable,a null}",
    "{ü,\u2028,a b}",
  ])("%s is read as by pg", (text) => {
    expect(listFromPostgres(text)).toEqual(byPg(text));
  });

  it("are read as by pg, whatever they contain", () => {
    const quote = (item: string | null) => {
      if (item === null) return "NULL";
      const mustQuote = item === "" || /[{}",\\\s]/.test(item) || item.toLowerCase() === "null";
      return mustQuote ? `"${item.replaceAll(/["\\]/g, "\\$&")}"` : item;
    };
    const items = fc.array(
      fc.oneof(fc.constantFrom(null, "", "null", "NULL", "a,b", "{"), fc.string({ maxLength: 6 })),
    );
    fc.assert(
      fc.property(items, (list) => {
        expect(listFromPostgres(`{${list.map(quote).join(",")}}`)).toEqual(list);
      }),
    );
  });

  it("are of the types uuid[] and text[]", () => {
    expect([...LIST_TYPES].map((oid) => pg.types.getTypeParser(oid as never, "text")("{a}"))).toEqual([["a"], ["a"]]);
  });
});
