/** Separates JSON texts that are sent in one string. JSON never contains it: in strings it is escaped as \\u001e. */
export const JSON_SEPARATOR = "\u001e";
