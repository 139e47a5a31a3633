import { Ajv2020, type AnySchemaObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Validates responses against the schema that their `$schema` links to, over HTTP, as an external client would. */
export type SchemaCheck = {
  /** The validation errors of a response against its own `$schema`; empty if it is valid. */
  issuesOf: (body: Record<string, unknown>) => Promise<string[]>;
};

export function openSchemaCheck(): SchemaCheck {
  // Each validator checks only a few responses: compile fast rather than run fast.
  const fast = { inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv2020({ ...fast, allowUnionTypes: true, strictTypes: false, loadSchema: fetchSchema });
  addFormats.default(ajv);
  // Sequential: two schemas that refer to the same third one would both add it.
  let last: Promise<unknown> = Promise.resolve();

  function compile(link: string): Promise<ValidateFunction> {
    const compiled = last.then(async () => ajv.getSchema(link) ?? ajv.compileAsync(await fetchSchema(link)));
    last = compiled.catch(() => {});
    return compiled as Promise<ValidateFunction>;
  }

  return {
    issuesOf: async (body) => {
      const link = body.$schema;
      if (typeof link !== "string") return [`no $schema: ${JSON.stringify(body).slice(0, 200)}`];
      const validate = await compile(link);
      if (validate(body)) return [];
      return (validate.errors ?? []).map((error) => `${link}${error.instancePath} ${error.message}`);
    },
  };
}

/** Registers the schema under the address it came from, so that its references resolve. */
async function fetchSchema(link: string): Promise<AnySchemaObject> {
  const response = await fetch(link);
  if (response.status !== 200) throw new Error(`${link} returns ${response.status}`);
  const schema = (await response.json()) as AnySchemaObject;
  return { ...schema, $id: new URL(String(schema.$id), link).href };
}
