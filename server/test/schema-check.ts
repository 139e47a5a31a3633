import { Ajv2020, type AnySchemaObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Validates answers by what their `$schema` links lead to, over HTTP, as a stranger would. */
export type SchemaCheck = {
  /** The faults of an answer by its own `$schema`; none is an empty list. */
  faultsOf: (body: Record<string, unknown>) => Promise<string[]>;
};

export function openSchemaCheck(): SchemaCheck {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false, loadSchema: fetchSchema });
  addFormats.default(ajv);
  const compiled = new Map<string, Promise<ValidateFunction>>();

  function compile(link: string): Promise<ValidateFunction> {
    const known = compiled.get(link) ?? fetchSchema(link).then((schema) => ajv.compileAsync(schema));
    compiled.set(link, known);
    return known;
  }

  return {
    faultsOf: async (body) => {
      if (typeof body?.$schema !== "string") return [`no $schema: ${JSON.stringify(body)?.slice(0, 200)}`];
      const validate = await compile(body.$schema);
      if (validate(body)) return [];
      return (validate.errors ?? []).map((fault) => `${body.$schema}${fault.instancePath} ${fault.message}`);
    },
  };
}

/** The schema under the address it came from, so that its references lead to their neighbours. */
async function fetchSchema(link: string): Promise<AnySchemaObject> {
  const response = await fetch(link);
  if (response.status !== 200) throw new Error(`${link} answers ${response.status}`);
  const schema = (await response.json()) as AnySchemaObject;
  return { ...schema, $id: new URL(String(schema.$id), link).href };
}
