import type { Db, Result } from "./db.ts";

/** A statement or a part of one: its text around the values, which are parameters or parts. `Row` is what it returns. */
export class Sql<Row = unknown> {
  /** Exists only as a type. */
  declare readonly row: Row;

  readonly #texts: readonly string[];
  readonly #values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.#texts = texts;
    this.#values = values;
  }

  execute(db: Pick<Db, "query">): Promise<Result<Row>> {
    const parameters: unknown[] = [];
    return db.query<Row>(this.#write(parameters), parameters);
  }

  /** For a short read: see `queryTogether`. */
  executeTogether(db: Pick<Db, "query" | "queryTogether">): Promise<Result<Row>> {
    return this.execute({ query: db.queryTogether ?? db.query });
  }

  /** Returns the text with the numbers of its parameters, which it appends to `parameters`. */
  #write(parameters: unknown[]): string {
    let text = this.#texts[0] as string;
    for (const [at, value] of this.#values.entries()) {
      text += value instanceof Sql ? value.#write(parameters) : `$${parameters.push(value)}`;
      text += this.#texts[at + 1];
    }
    return text;
  }
}

/** `` sql<Row>`select … where id = ${id}` ``: each value is a parameter, each `Sql` a part of the statement. */
export function sql<Row = unknown>(texts: TemplateStringsArray, ...values: unknown[]): Sql<Row> {
  return new Sql(texts, values);
}

/** The text as it is. Never anything a caller sent. */
sql.raw = (text: string): Sql => new Sql([text], []);

/** A name, quoted. */
sql.id = (name: string): Sql => sql.raw(quote(name));

/** A column, possibly of a table: `r.status`. */
sql.ref = (path: string): Sql => sql.raw(path.split(".").map(quote).join("."));

/** A constant as part of the text, so that the planner knows it. */
sql.lit = (value: string | number | boolean | null): Sql =>
  sql.raw(typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value));

sql.join = (items: readonly unknown[], between: Sql = COMMA): Sql => {
  if (items.length === 0) return sql.raw("");
  const values = items.flatMap((item, at) => (at === 0 ? [item] : [between, item]));
  return new Sql(Array(values.length + 1).fill(""), values);
};

const COMMA = sql.raw(", ");

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
