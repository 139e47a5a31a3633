// biome-ignore lint/suspicious/noExplicitAny: responses of two builds, whose fields need not agree
export type Json = any;
