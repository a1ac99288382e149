import type { AnyHandlerContext } from '../contexts/contexts.interface.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ObjectClass, SpecOf, StatusOf } from '../resources/object-class.js';
import type { SelectorArgs } from '../resources/selectors.js';

/** The arguments of the decorators of resource handlers: a selector in any of its forms, followed by options. */
export type ResourceHandlerArgs<Options> = SelectorArgs | readonly [...selector: SelectorArgs, options: Options];

/** The context that a decorator passes, with any types for the members whose types depend on the user's types. */
export type GivenContext<Context> = {
  readonly [Member in keyof Context]: Member extends
    'body' | 'patch' | 'old' | 'new' | 'diff' | 'subhandler' | 'execute'
    ? any
    : Context[Member];
};

/** The types of contexts that satisfy the parameter; `never` if there are none, for example for a parameter with its own decorator. */
export type ContextsSatisfying<Context, Parameter> = Context extends Parameter ? Context : never;

/**
 * A type for the compiler's error messages, where a decorator is on a method that takes the context of other handlers. Take the context
 * that is named here, or a wider one such as `ObjectContext`.
 */
export interface MethodMustTake<Context> {
  readonly __context: Context;
}

/**
 * The type that a method satisfies if it can be called with the context: one that takes it, or a part of it, or nothing. Methods with
 * several parameters, or with one that is no handler's context, have parameter decorators such as `@Spec()`.
 */
export type AcceptedMethod<Method, Context> = Method extends (...args: infer Parameters) => unknown
  ? Parameters extends readonly [unknown, unknown, ...unknown[]]
    ? unknown
    : GivenContext<Context> extends Parameters[0]
      ? unknown
      : [ContextsSatisfying<GivenContext<AnyHandlerContext>, Parameters[0]>] extends [never]
        ? unknown
        : MethodMustTake<Context>
  : unknown;

/**
 * The decorator of a method that is called with the context. The compiler rejects methods that take the context of other handlers. Several
 * decorators can be on one method, which then takes the union of their contexts, or what they have in common.
 */
export interface HandlerDecorator<Context> {
  /**
   * A signature as a `MethodDecorator`, for functions such as Nest's `applyDecorators()`, which do not know the method yet. A decorator on
   * a method has no `this`, so that the compiler does not choose this signature for it.
   */
  <Method>(this: never, target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<Method>): void;
  // The compiler reports the violations of the last signature.
  <Method>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method> & AcceptedMethod<Method, Context>,
  ): void;
}

/** The context that a decorator passes for objects of a class: with the types of its `spec` and `status`. */
export type TypedContext<Context, Class extends ObjectClass> = {
  readonly [Member in keyof Context]: Member extends 'body'
    ? Readonly<KubeObject<SpecOf<Class>, StatusOf<Class>>>
    : Member extends 'spec'
      ? Readonly<SpecOf<Class>>
      : Member extends 'status'
        ? Readonly<StatusOf<Class>>
        : Context[Member];
};

/**
 * A function that creates a decorator for handlers of objects: its arguments are a resource in any of the forms of `SelectorArgs`, followed
 * by options. For a class with `@CustomResource()`, the method takes a context with the types of its `spec` and `status`.
 *
 * @throws KopfBootstrapError, where the decorator stands, if its target is no instance method.
 */
export interface ResourceDecorator<Options, Context> {
  (...args: ResourceHandlerArgs<Options>): HandlerDecorator<Context>;
  (group: string, version: string, name: string, options?: Options): HandlerDecorator<Context>;
  (groupVersionOrGroup: string, name: string, options?: Options): HandlerDecorator<Context>;
  <Class extends ObjectClass>(type: Class, options?: Options): HandlerDecorator<TypedContext<Context, Class>>;
  // The compiler reports the violations of the last signature with so many parameters.
  (resource: SelectorArgs[0] | ObjectClass, options?: Options): HandlerDecorator<Context>;
}
