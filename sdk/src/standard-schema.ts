import { MillraceError } from "./errors.ts";

/**
 * The common interface of Zod, Valibot, ArkType and others: https://standardschema.dev
 *
 * @example
 * const schema: StandardSchema<{ to: string }> = z.object({ to: z.string() });
 * export const invite = defineJob({ id: "invite", schema, run: ({ to }) => to });
 */
export type StandardSchema<Input = unknown, Output = Input> = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
};

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

type SchemaIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** The type that a schema accepts. */
export type InputOf<S> = S extends StandardSchema<infer Input, unknown> ? Input : unknown;
/** The type that a schema returns. */
export type OutputOf<S> = S extends StandardSchema<unknown, infer Output> ? Output : unknown;

/**
 * A value does not match the schema of a job, an event or a workflow.
 *
 * @example
 * try {
 *   await client.jobs.trigger(sendMail, JSON.parse(rawBody));
 * } catch (error) {
 *   if (error instanceof SchemaError) console.log(error.issues);
 * }
 */
export class SchemaError extends MillraceError {
  override name = "SchemaError";
  readonly issues: { location: string; message: string }[];
  constructor(what: string, issues: readonly SchemaIssue[]) {
    const named = issues.map((issue) => ({ location: locationOf(what, issue), message: issue.message }));
    super("schema_mismatch", named.map(({ location, message }) => `${location}: ${message}`).join("; "));
    this.issues = named;
  }
}

/**
 * Validates a value and returns the schema's output, or the value itself without a schema. `what` names it in errors.
 */
export async function checkWith<T>(
  schema: StandardSchema<unknown, T> | undefined,
  value: unknown,
  what: string,
): Promise<T> {
  if (!schema) return value as T;
  const result = await schema["~standard"].validate(value);
  if (result.issues) throw new SchemaError(what, result.issues);
  return result.value;
}

function locationOf(what: string, { path = [] }: SchemaIssue): string {
  return [what, ...path.map((part) => String(typeof part === "object" ? part.key : part))].join(".");
}
