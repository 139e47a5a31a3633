/** What docs/errors/<code>.md says of a code, and the status it is answered with. */
export type ErrorCodeEntry = { status: number; title: string; meaning: string; remedy: string };
