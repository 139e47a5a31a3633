/** Why there is no embedded database. The message is for the user and includes the remedy. */
export class EmbeddedPostgresError extends Error {
  override name = "EmbeddedPostgresError";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The errno code of a failed call (ENOENT, EACCES …). */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
