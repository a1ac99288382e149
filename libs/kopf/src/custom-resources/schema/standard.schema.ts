/** A schema of a library that implements Standard JSON Schema, version 1: Zod, Valibot, ArkType, and others. */
export interface StandardJsonSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly jsonSchema: {
      /** Returns the JSON Schema of the validated values. @param options.target such as `draft-2020-12`, `draft-07`. */
      input(options: { readonly target: string }): Record<string, unknown>;
      output(options: { readonly target: string }): Record<string, unknown>;
    };
  };
}

/** Checks whether a value is a schema of such a library; schemas of some libraries are functions. */
export function isStandardJsonSchema(value: unknown): value is StandardJsonSchema {
  const standard = (value as Partial<StandardJsonSchema> | null | undefined)?.['~standard'];
  return typeof standard?.jsonSchema?.input === 'function';
}
