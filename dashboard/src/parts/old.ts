/** How that looks which is about to be replaced by what was asked for. It is seen only after 200 ms, as placeholders are. */
export const OLD = "opacity-60 transition-opacity delay-200";
