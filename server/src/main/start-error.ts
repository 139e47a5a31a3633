/** A start that cannot succeed, told to the person who started it: the message alone, no stack. */
export class StartError extends Error {}
