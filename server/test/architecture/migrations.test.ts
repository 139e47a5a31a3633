import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { contractingStatements } from "./expand-only.ts";

const FOLDER = resolve(import.meta.dirname, "../../migrations");

const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".sql"))
  .sort();

describe("migrations", () => {
  it("are numbered without gaps or repetitions", () => {
    const numbers = names.map((_, index) => String(index + 1).padStart(4, "0"));
    expect(names.map((name) => name.slice(0, 5))).toEqual(numbers.map((number) => `${number}_`));
  });
});

describe("migrations after the baseline and after each release", () => {
  it("only expand: instances of the released version keep working on the new schema", () => {
    const text = readFileSync(join(FOLDER, "..", "released-migrations.json"), "utf8");
    const released: Record<string, string> = JSON.parse(text);
    const last = Object.values(released).sort().at(-1) ?? "";
    expect(names).toContain(last);
    const newer = names.filter((name) => name > last);
    const found = newer.map((name) => [name, contractingStatements(readFileSync(join(FOLDER, name), "utf8"))]);
    expect(found.filter(([, problems]) => problems?.length)).toEqual([]);
  });

  it.each([
    "alter table runs drop column note;",
    "drop table runs;",
    "alter table runs\n  rename column a to b;",
    "alter table runs alter column a type bigint;",
    "alter table runs alter column a set not null;",
    "alter table runs add column a int not null;",
    "alter table runs add constraint positive check (a > 0);",
    "delete from runs;",
    "alter table runs drop note;",
    "alter table runs drop if exists note;",
    "drop materialized view totals;",
    "alter table runs alter column a drop default;",
    "alter table runs alter a type bigint;",
    "alter table runs alter a set not null;",
    "alter table runs add a int not null;",
    "alter table runs add column a numeric(10, 2) not null;",
    "alter table runs add column a int not null, add column b int default 0;",
    "alter table runs add unique (a);",
    "create unique index runs_a_idx on runs (a);",
  ])("may not contain: %s", (statement) => {
    expect(contractingStatements(statement)).toHaveLength(1);
    expect(contractingStatements(`-- contract: unused since 0.1.0\n${statement}`)).toEqual([]);
    expect(contractingStatements(`-- contract: nobody needs it\n${statement}`), "without a release").toHaveLength(1);
  });

  it.each([
    "alter table runs add column a int;",
    "alter table runs add column a int not null default 0;",
    "create table notes (id uuid not null, constraint notes_pkey primary key (id));",
    "create index runs_a_idx on runs (a);",
    "alter table runs add constraint positive check (a > 0) not valid;",
    "create table notes (id uuid);\nalter table notes add unique (id);\ncreate unique index notes_idx on notes (id);",
    "alter table runs add column a uuid not null default gen_random_uuid();\ncreate unique index runs_a_idx on runs (b, a);",
    "comment on column runs.a is 'rename it; or drop table runs';",
    "alter table runs drop constraint positive;\ndrop index runs_a_idx;",
    "alter table runs add column a numeric(10, 2) not null default 0 check (a > 0);",
    "-- drop table runs;\nalter table runs alter column a drop not null;",
  ])("may contain: %s", (statement) => {
    expect(contractingStatements(statement)).toEqual([]);
  });
});
