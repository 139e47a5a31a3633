/** A start that cannot succeed, for the person who started it: the message alone, no stack trace. */
export class StartError extends Error {}
