/**
 * Replaces `typebox` in the browser bundle, which uses only types, lists and the query language of the contract, never
 * its schemas. Saves 60 kB.
 */
const schema = () => ({ properties: {} });

export default new Proxy({}, { get: () => schema });
