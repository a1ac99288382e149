// The options of the handlers of changes, and those that all handlers have. Sub-handlers take them as well, and a context takes
// sub-handlers, so they stand here, and not with the decorators.

import type { ChangeFilterContext } from './filter-contexts.interface.js';
import type { SelectorParts } from '../resources/selectors.js';
import type { ResourceDeclaration } from '../resources/object-class.js';
import type { ObjectSelectorOptions } from '../resources/object-selector.js';
import type { ValueFilter, FieldFilter, ChangeFilters } from './filter-options.js';

/** The treatment of errors that are neither `TemporaryError` nor `PermanentError`: they are retried, final, or ignored like a success. */
export type ErrorsMode = 'temporary' | 'permanent' | 'ignored';

/**
 * The decision on an error: another error in its place, such as a `TemporaryError` or a `PermanentError`; `'ignored'` for a success; or
 * nothing, if it stays as it is.
 */
export type ErrorDecision = Error | 'ignored' | undefined | void;

/**
 * A function that decides on an error of a handler, with the handler's context. It can patch the object and post events. An error that it
 * throws replaces the original one.
 */
export type ErrorHandler = (error: any, context: any) => ErrorDecision | Promise<ErrorDecision>;

/** Options that every handler has. */
export interface HandlerOptions {
  /** The id of the handler in logs and in the stored state; must not change between versions. @default the method's name */
  id?: string;
  /** Any value that is passed to the handler, so that one method can serve several decorators. */
  param?: unknown;
  /**
   * The handler of the errors that the method throws: a function, or the name of a method of its class. @default that of `@OnError()` on
   * the class; without it, errors stay as they are
   */
  onError?: ErrorHandler | string;
  /**
   * The name of the operator that calls the handler: `KopfModule.forRoot({ name })`. @default that of `@ForOperator()`, or else the
   * operator without a name
   */
  operator?: string;
}

/** Options of handlers that are retried. */
export interface RetryOptions extends HandlerOptions {
  /** The treatment of arbitrary errors. @default 'temporary' */
  errors?: ErrorsMode;
  /** Seconds from the first attempt after which the handler fails for good. @default no limit */
  timeout?: number;
  /** The most attempts. @default no limit */
  retries?: number;
  /** Seconds until the next attempt after an arbitrary error. @default the setting `execution.defaultBackoff` */
  backoff?: number;
}

/** The resource of the parents, and how they are read. */
export interface ParentOptions {
  readonly resource: string | SelectorParts | ResourceDeclaration;
  /** Whether the parent is read before each call. @default false: it is as new as the operator's watch of its metadata */
  readonly fresh?: boolean;
}

/** Options that choose the objects before the API server sends them. */
export interface WatchOptions {
  /**
   * The resource of the parents: the handler is called only for objects that one of them controls, by their owner references; the context
   * has it as `parent`.
   */
  ownedBy?: string | SelectorParts | ResourceDeclaration | ParentOptions;
  /**
   * The objects that the handler is for, by labels and fields. The API server evaluates the requirements that all handlers of a resource
   * have in common, and sends no other objects. An object that leaves the selector is treated like one that does not match other filters
   * any more.
   */
  selector?: ObjectSelectorOptions;
}

/** Options of `@OnCreate`. */
export interface CreateOptions extends RetryOptions, WatchOptions, ChangeFilters, FieldFilter {
  /**
   * When the `signal` of a running handler is aborted: once its object is marked for deletion or has gone, or also when anyone except the
   * operator changes it. A handler that ends with the error of the signal is called again at once, if it is still for the object then.
   * @default never
   */
  abortOn?: 'deletion' | 'change';
}

/** Options of `@OnUpdate`: if there is a `field`, it must have changed. */
export interface UpdateOptions extends CreateOptions {
  /** A filter of the field's value before the change. */
  old?: ValueFilter<ChangeFilterContext>;
  /** A filter of the field's value after the change. */
  new?: ValueFilter<ChangeFilterContext>;
}

/** The options of one sub-handler: those of other handlers, except those that choose objects. */
export interface SubhandlerOptions extends Omit<UpdateOptions, 'selector' | 'ownedBy' | 'onError'> {}
