import { compileJsonSchema } from "../../../../src/platform/json-schema/compile-json-schema.ts";
import { type Language, must, PAYLOAD, parsed, same } from "./language.ts";

/** JSON Schema. */
export const schemas: Language = {
  corpus: [
    '{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}, "additionalProperties": false}',
    '{"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}',
    '{"anyOf": [{"type": "string", "pattern": "^(a|b)*c$"}, {"not": {"const": null}}], "unevaluatedProperties": false}',
    '{"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"n": ["text"]}, "if": {"minProperties": 1}, "then": {"maxProperties": 9}}',
    '{"patternProperties": {"^t": {"maxLength": 4}}, "propertyNames": {"minLength": 1}, "contains": {"enum": [1]}, "uniqueItems": true}',
    '{"prefixItems": [{"type": "number"}, true], "items": {"$dynamicRef": "#x"}, "$dynamicAnchor": "x", "multipleOf": 0.01}',
  ],
  words: [
    ...['{"', '": ', "}", "[", "]", ",", '"$ref"', '"#"', '"#/$defs/a"', '"type"', '"null"', "true", "false"],
    ...["null", "0", "-1", "1e308", '"pattern"', '"(a*)*b"', '"\\\\p{L}+"', '"$id"', '"http://x/"', '"oneOf"'],
    ...['"allOf"', '"items"', '"__proto__"', '"format"', '"date-time"'],
  ],
  read: (text) => {
    const schema = parsed(text);
    if (schema === undefined) return false;
    const compiled = compileJsonSchema(schema);
    if (!compiled.ok) return false;
    for (const value of [PAYLOAD, [1, "a", null], "aaab", 7, null]) {
      must(same(compiled.validate(value), compiled.validate(value)), "two validations differ");
    }
    return true;
  },
};
