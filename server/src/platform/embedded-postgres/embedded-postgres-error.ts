/** Why there is no embedded database. The message is written for the user and says what to do. */
export class EmbeddedPostgresError extends Error {
  override name = "EmbeddedPostgresError";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code for a failed call (ENOENT, EACCES …). */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
