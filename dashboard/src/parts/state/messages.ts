/** Sentences that several components show. */
export const STILL_LOADING = "Still loading.";

export function invalidJson(what: string): string {
  return `The ${what.toLowerCase()} is not valid JSON.`;
}

export function schemaMismatch(what: string): string {
  return `The ${what.toLowerCase()} does not match the schema.`;
}
