import { type FieldError, invalidField } from '../../errors/field.error.js';
import type { StructuralSchema } from './structural.schema.js';

type Validate = (value: unknown, schema: StructuralSchema, path: string) => FieldError[];

/** Checks `anyOf`, `oneOf`, `allOf` and `not`. The real server names no field for them, but the path in the message. */
export function validateCombinations(
  value: unknown,
  { allOf, anyOf, oneOf, not }: StructuralSchema,
  path: string,
  validate: Validate,
): FieldError[] {
  const errors: FieldError[] = [];
  const fail = (rule: string): void => {
    errors.push(invalidField('<nil>', '', `${JSON.stringify(path)} must ${rule}`));
  };
  const check = (each: StructuralSchema): FieldError[] => validate(value, each, path);
  if (anyOf?.length) {
    const results = resultsUntilValid(anyOf, check);
    if (results.at(-1)!.length > 0) {
      fail('validate at least one schema (anyOf)');
      errors.push(...results[0]!);
    }
  }
  if (oneOf?.length) {
    const results = oneOf.map(check);
    const valid = results.filter((each) => each.length === 0).length;
    if (valid !== 1) {
      fail(
        `validate one and only one schema (oneOf). ${valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`}`,
      );
      if (valid === 0) errors.push(...results[0]!);
    }
  }
  if (allOf?.length) {
    const results = allOf.map(check);
    errors.push(...results.flat());
    const valid = results.filter((each) => each.length === 0).length;
    if (valid < results.length) fail(`validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  if (not && check(not).length === 0) fail('not validate the schema (not)');
  return errors;
}

function resultsUntilValid(
  schemas: readonly StructuralSchema[],
  check: (schema: StructuralSchema) => FieldError[],
): FieldError[][] {
  const results: FieldError[][] = [];
  for (const schema of schemas) {
    results.push(check(schema));
    if (results.at(-1)!.length === 0) break;
  }
  return results;
}
