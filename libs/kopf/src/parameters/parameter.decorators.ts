// parameters: what methods get that take parts of the context as decorated parameters, instead of the context as a whole: the
// decorators, the pipes that validate, and the error of an object that does not pass them. They build on the decorators of Nest, so that
// pipes and decorators of the application work, too. Calling the methods is the business of discovery.
// May import: common, objects, contexts, decorators, admission.

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Diff as ObjectDiff } from '../objects/diffs.js';
import { parseFieldPath, resolveField, type FieldPath, type FieldSpec } from '../objects/field-path.js';
import { toPipes, type ParameterPipe } from './standard-schema.js';

/** Decorates a parameter with a part of the context that has no fields to choose. */
export type ValueParameter = (...pipes: readonly ParameterPipe[]) => ParameterDecorator;

/** Decorates a parameter with a part of the context, or with a field in it: `'size'`, `'limits.cpu'`, `['a.b', 'c']`. */
export type FieldParameter = (
  fieldOrPipe?: FieldSpec | ParameterPipe,
  ...pipes: readonly ParameterPipe[]
) => ParameterDecorator;

/** Tells where a decorated parameter gets its value from. */
export interface ParameterSource {
  /** Names the decorator as it is written in the code, for messages. */
  readonly decorator: string;
  /** The member of the context; absent for the context itself. */
  readonly member?: string;
  readonly path: FieldPath;
}

/** Reads the value of a parameter. It tells its source, so that the start of the application can check it. */
export interface ParameterFactory {
  (label: string, host: ExecutionContext): unknown;
  readonly source: ParameterSource;
}

/** Reads the source of a parameter's factory, of which there is none for decorators of the application and of other libraries. */
export function sourceOf(factory: unknown): ParameterSource | undefined {
  return (factory as Partial<ParameterFactory> | undefined)?.source;
}

function decorate(source: ParameterSource, pipes: readonly ParameterPipe[]): ParameterDecorator {
  const { member, path } = source;
  const read = (_label: string, host: ExecutionContext): unknown => {
    const context = host.getArgByIndex<Record<string, unknown>>(0);
    const value = member === undefined ? context : context[member];
    return path.length > 0 ? resolveField(value, path) : value;
  };
  // Pipes get it as `metadata.data`, and name in their messages what is wrong.
  const label = [member ?? 'context', ...path].join('.');
  return createParamDecorator(Object.assign(read, { source }) as never)(label as never, ...toPipes(pipes));
}

function isField(value: unknown): value is FieldSpec {
  return typeof value === 'string' || Array.isArray(value);
}

function fieldParameter(decorator: string, member: string, parse = parseFieldPath): FieldParameter {
  return (...args) => {
    const [first, ...rest] = args;
    if (first === undefined) return decorate({ decorator, member, path: [] }, rest);
    if (isField(first)) return decorate({ decorator, member, path: parse(first) }, rest);
    return decorate({ decorator, member, path: [] }, [first, ...rest]);
  };
}

function valueParameter(decorator: string, member?: string): ValueParameter {
  return (...pipes) => decorate({ decorator, member, path: [] }, pipes);
}

/** The names of labels and annotations have dots in them. */
function parseName(name: FieldSpec): FieldPath {
  return typeof name === 'string' ? [name] : name;
}

/**
 * Gives the `spec` of the object, or a field in it; `undefined` if the field is absent.
 *
 * @example
 * @OnCreate('ephemeralvolumeclaims.kopf.dev')
 * create(@Spec() spec: ClaimSpec, @Spec('replicas', new DefaultValuePipe(1), ParseIntPipe) replicas: number) {}
 */
export const Spec = fieldParameter('@Spec', 'spec');

/** Gives the `status` of the object, or a field in it. */
export const Status = fieldParameter('@Status', 'status');

/** Gives the metadata of the object, or a field in it: `@Meta('generation')`. */
export const Meta = fieldParameter('@Meta', 'meta');

/** Gives the whole object, or a field in it: `@ObjectBody('data')`. */
export const ObjectBody = fieldParameter('@ObjectBody', 'body');

/** Gives the labels of the object, or one of them by its name: `@Labels('app.kubernetes.io/name')`. */
export const Labels = fieldParameter('@Labels', 'labels', parseName);

/** Gives the annotations of the object, or one of them by its name. */
export const Annotations = fieldParameter('@Annotations', 'annotations', parseName);

/** Gives the name of the object. */
export const Name = valueParameter('@Name', 'name');

/** Gives the namespace of the object; `undefined` for an object that belongs to the cluster. */
export const Namespace = valueParameter('@Namespace', 'namespace');

/** Gives the uid of the object. */
export const Uid = valueParameter('@Uid', 'uid');

/** Gives the patch to write the wanted changes of the object into; not in indices. */
export const ObjectPatch = valueParameter('@ObjectPatch', 'patch');

/** Gives the differences, as the `diff` of the context; in handlers of changes and reviews only. */
export const Diff = valueParameter('@Diff', 'diff');

/** All differences of two values in the order of the newer one's fields; empty if there are none. */
export type Diff<Value = any> = ObjectDiff<Value>;

/** Gives the state before, or a field in it; in handlers of changes and reviews only. */
export const Old = fieldParameter('@Old', 'old');

/** Gives the state after, or a field in it; in handlers of changes and reviews only. */
export const New = fieldParameter('@New', 'new');

/** Gives what is remembered of the object in memory; in activities, the operator's memo. */
export const Memo = valueParameter('@Memo', 'memo');

/** Gives the logger of the handler, whose lines name the object. */
export const HandlerLogger = valueParameter('@HandlerLogger', 'logger');

/** Gives the number of attempts before this one: 0 at first. */
export const Retry = valueParameter('@Retry', 'retry');

/** Gives the flag that tells a daemon or a timer to stop. */
export const Stopped = valueParameter('@Stopped', 'stopped');

/** Gives the whole context, beside other parameters. */
export const HandlerContext = valueParameter('@HandlerContext');

/**
 * Gives an index by its name.
 *
 * @example
 * @OnEvent('nodes')
 * count(@Name() node: string, @IndexRef('podsByNode') pods: Index<string, string>) {}
 */
export function IndexRef(name: string): ParameterDecorator {
  return decorate({ decorator: '@IndexRef', member: 'indices', path: [name] }, []);
}
