// parameters: decorators for methods that take parts of the context as parameters, instead of the context as a whole; the pipes that
// validate them, and the error of an object that does not pass them. They build on Nest's decorators, so that pipes and decorators of the
// application work, too. discovery/ calls the methods.
// May import: common, objects, contexts, decorators, admission.

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ObjectDiff } from '../objects/diffs.js';
import { parseFieldPath, resolveField, type FieldPath, type FieldSpec } from '../objects/field-path.js';
import { toPipes, type ParameterPipe } from './standard-schema.js';

/** The decorator of a parameter for a part of the context without fields. */
export type ValueParameter = (...pipes: readonly ParameterPipe[]) => ParameterDecorator;

/** The decorator of a parameter for a part of the context, or for a field in it: `'size'`, `'limits.cpu'`, `['a.b', 'c']`. */
export type FieldParameter = (
  fieldOrPipe?: FieldSpec | ParameterPipe,
  ...pipes: readonly ParameterPipe[]
) => ParameterDecorator;

/** The source of the value of a decorated parameter. */
export interface ParameterSource {
  /** The decorator as it is written in the code, for messages. */
  readonly decorator: string;
  /** The member of the context; absent for the context itself. */
  readonly member?: string;
  readonly path: FieldPath;
}

/** The function that reads the value of a parameter, with its source, which is checked at the start of the application. */
export interface ParameterFactory {
  (label: string, host: ExecutionContext): unknown;
  readonly source: ParameterSource;
}

/** Reads the source of a parameter's factory; `undefined` for decorators of the application and of other libraries. */
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
  // Pipes get the path as `metadata.data`, and use it in their messages.
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

/** Parses the name of a label or an annotation, in which dots do not separate levels. */
function parseName(name: FieldSpec): FieldPath {
  return typeof name === 'string' ? [name] : name;
}

/**
 * Passes the `spec` of the object, or a field in it; `undefined` if the field is absent.
 *
 * @example
 * @OnCreate('ephemeralvolumeclaims.kopf.dev')
 * create(@Spec() spec: ClaimSpec, @Spec('replicas', new DefaultValuePipe(1), ParseIntPipe) replicas: number) {}
 */
export const Spec = fieldParameter('@Spec', 'spec');

/** Passes the `status` of the object, or a field in it. */
export const Status = fieldParameter('@Status', 'status');

/** Passes the metadata of the object, or a field in it: `@Meta('generation')`. */
export const Meta = fieldParameter('@Meta', 'meta');

/** Passes the whole object, or a field in it: `@ObjectBody('data')`. */
export const ObjectBody = fieldParameter('@ObjectBody', 'body');

/** Passes the labels of the object, or one of them by its name: `@Labels('app.kubernetes.io/name')`. */
export const Labels = fieldParameter('@Labels', 'labels', parseName);

/** Passes the annotations of the object, or one of them by its name. */
export const Annotations = fieldParameter('@Annotations', 'annotations', parseName);

/** Passes the name of the object. */
export const Name = valueParameter('@Name', 'name');

/** Passes the namespace of the object; `undefined` for a cluster-scoped object. */
export const Namespace = valueParameter('@Namespace', 'namespace');

/** Passes the uid of the object. */
export const Uid = valueParameter('@Uid', 'uid');

/** Passes the patch, into which the wanted changes of the object are written; not in indices. */
export const ObjectPatch = valueParameter('@ObjectPatch', 'patch');

/** Passes the differences, as the `diff` of the context; in handlers of changes and reviews only. */
export const Diff = valueParameter('@Diff', 'diff');

/** All differences of two values in the order of the newer one's fields; empty if there are none. */
export type Diff<Value = any> = ObjectDiff<Value>;

/** Passes the state before, or a field in it; in handlers of changes and reviews only. */
export const Old = fieldParameter('@Old', 'old');

/** Passes the state after, or a field in it; in handlers of changes and reviews only. */
export const New = fieldParameter('@New', 'new');

/** Passes the memo of the object; in activities, the operator's memo. */
export const Memo = valueParameter('@Memo', 'memo');

/** Passes the logger of the handler, whose lines name the object. */
export const HandlerLogger = valueParameter('@HandlerLogger', 'logger');

/** Passes the number of attempts before this one: 0 at first. */
export const Retry = valueParameter('@Retry', 'retry');

/** Passes the flag by which a daemon or a timer is asked to stop. */
export const Stopped = valueParameter('@Stopped', 'stopped');

/** Passes the whole context, beside other parameters. */
export const HandlerContext = valueParameter('@HandlerContext');

/**
 * Passes an index by its name.
 *
 * @example
 * @OnEvent('nodes')
 * count(@Name() node: string, @IndexRef('podsByNode') pods: Index<string, string>) {}
 */
export function IndexRef(name: string): ParameterDecorator {
  return decorate({ decorator: '@IndexRef', member: 'indices', path: [name] }, []);
}
