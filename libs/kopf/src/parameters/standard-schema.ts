import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { createParameterError, describeSafely } from './parameter.error.js';

/**
 * A pipe that changes or rejects the value of a parameter: a pipe of Nest, as a class or an instance, or a Standard Schema. Several are
 * applied from left to right.
 */
export type ParameterPipe = PipeTransform | Type<PipeTransform> | StandardSchema;

/** A problem that a schema has found. */
export interface StandardSchemaIssue {
  readonly message: string;
  /** The path of the value, if it is not the whole one. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

/** The result of a validation: the value, which the schema can have changed, or the violations. */
export type StandardSchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardSchemaIssue[] };

/**
 * A schema of Zod, Valibot, ArkType, or any other library that implements Standard Schema, version 1.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
  };
}

/** A pipe that validates a parameter by a schema, and passes the schema's output, with its defaults and conversions. */
class SchemaPipe implements PipeTransform {
  constructor(private readonly schema: StandardSchema) {}

  /** @throws ParameterError with the paths of all violations. */
  async transform(value: unknown, { data = 'value' }: ArgumentMetadata): Promise<unknown> {
    const result = await this.schema['~standard'].validate(value);
    if (!result.issues) return result.value;
    throw createParameterError(
      result.issues.map(({ path = [], message }) => {
        const place = data + path.map(describeSegment).join('');
        return { path: place, text: describeSafely(place, message, value) };
      }),
    );
  }
}

function describeSegment(segment: PropertyKey | { readonly key: PropertyKey }): string {
  const key = typeof segment === 'object' ? segment.key : segment;
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
}

/** Converts schemas to pipes, and keeps pipes as they are. Schemas of some libraries are functions, or have a method `transform()`, too. */
export function toPipes(pipes: readonly ParameterPipe[]): (PipeTransform | Type<PipeTransform>)[] {
  return pipes.map((pipe) => (isSchema(pipe) ? new SchemaPipe(pipe) : pipe));
}

function isSchema(pipe: ParameterPipe): pipe is StandardSchema {
  return typeof (pipe as Partial<StandardSchema>)['~standard']?.validate === 'function';
}
