import type { ConversionContextOf, ConvertedObject } from '../contexts/conversion.interface.js';
import type { ObjectClass, ResourceDeclaration } from '../resources/object-class.js';
import type { SelectorParts } from '../resources/selectors.js';
import type { AcceptedMethod, HandlerDecorator } from './handler.decorators.js';
import type { HandlerOptions } from '../contexts/change-options.js';
import { addHandlerMetadata } from './handler.metadata.js';

/**
 * A version of a resource: its name, or a class with `@CustomResource()`. With a class, the method must take or return objects of this class.
 */
export type ConvertedVersion<Class extends ObjectClass = ObjectClass> = string | Class;

/** Options of `@Convert`. */
export interface ConvertOptions<From extends ObjectClass = any, To extends ObjectClass = any> extends HandlerOptions {
  /** The version of the objects that the method gets. */
  from: ConvertedVersion<From>;
  /** The version of the objects that the method returns. */
  to: ConvertedVersion<To>;
  /**
   * Whether one of the versions is being retired: the classes do not have it any more, but objects can still be stored in it, and are
   * converted when they are next stored. No method needs to convert in the other direction. @default false
   */
  retired?: boolean;
}

/** A type for the compiler's error messages, where a decorator is on a method that does not return what objects of the version have. */
export interface MethodMustReturn<Result> {
  readonly __result: Result;
}

/** The type that a method satisfies if it returns the result, or a promise of it. */
export type AcceptedResult<Method, Result> = Method extends (...args: any[]) => infer Returned
  ? Awaited<Returned> extends Result
    ? unknown
    : MethodMustReturn<Result>
  : unknown;

/** The decorator of a method that converts objects of one class to those of another one. */
export interface ConversionDecorator<From extends ObjectClass, To extends ObjectClass> {
  <Method>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method> &
      AcceptedMethod<Method, ConversionContextOf<From>> &
      AcceptedResult<Method, ConvertedObject<To>>,
  ): void;
}

/**
 * Calls the method for the API server to convert objects of a custom resource to another version. Between versions without a method,
 * objects are converted through a third one, usually the one in which they are stored: with `v1alpha1` to and from `v1`, and `v1beta1` to
 * and from `v1`, an object of `v1alpha1` is converted to `v1beta1` by two methods.
 *
 * The method gets a {@link ConversionContext}, and returns the object without `apiVersion`, `kind`, and `metadata`. It can be async, but
 * must depend on the object only, and must not throw for objects that the API server has accepted: they could not be read then.
 *
 * @param resource a class with `@CustomResource()`, or the plural with the group: `'widgets.example.com'`.
 *
 * @example
 * @Convert(Widget, { from: WidgetV1Alpha1, to: Widget })
 * up({ spec, status }: ConversionContextOf<typeof WidgetV1Alpha1>) {
 *   return { spec: { gigabytes: parseInt(spec.size, 10) }, status };
 * }
 */
export function Convert<From extends ObjectClass = any, To extends ObjectClass = any>(
  resource: string | SelectorParts | ResourceDeclaration | ObjectClass,
  options: ConvertOptions<From, To>,
): ConversionDecorator<From, To> {
  const decorate: HandlerDecorator<any> = addHandlerMetadata({
    kind: 'convert',
    decorator: '@Convert',
    selector: [resource as ResourceDeclaration],
    options: { ...options },
  });
  return decorate as ConversionDecorator<From, To>;
}
