// The options of the handlers of changes, and those that all handlers have. Sub-handlers take them as well, and a context takes
// sub-handlers, so they stand here, and not with the decorators.

import type { ChangeFilterContext } from './filter-contexts.interface.js';
import type { SelectorParts } from '../resources/selectors.js';
import type { ResourceDeclaration } from '../resources/object-class.js';
import type { ObjectSelectorOptions } from '../resources/object-selector.js';
import type { ValueFilter, FieldFilter, ChangeFilters } from './filter-options.js';

/**
 * The treatment of errors that are neither `TemporaryError` nor `PermanentError`: they are retried, final, or taken as a
 * success.
 */
export type ErrorsMode = 'temporary' | 'permanent' | 'ignored';

/**
 * Says what becomes of an error: another error in its place, such as a `TemporaryError` or a `PermanentError`; `'ignored'` for a success;
 * or nothing, if it stays as it is.
 */
export type ErrorDecision = Error | 'ignored' | undefined | void;

/**
 * Decides on an error that a handler has thrown, with the context of the handler. It can patch the object and post events. An error that it
 * throws itself counts instead.
 */
export type ErrorHandler = (error: any, context: any) => ErrorDecision | Promise<ErrorDecision>;

/** Options that every handler has. */
export interface HandlerOptions {
  /** Identifies the handler in logs and in what is stored; must not change between versions. @default the method's name */
  id?: string;
  /** Anything that is passed to the handler, so that one method can serve several decorators. */
  param?: unknown;
  /**
   * Decides on errors that the handler throws: a function, or the name of a method of its class. @default that of `@OnError()` on the class, or
   * nothing does
   */
  onError?: ErrorHandler | string;
  /**
   * Names the operator that calls the handler: that of `KopfModule.forRoot({ name })`. @default that of `@ForOperator()`, or else the operator
   * without a name
   */
  operator?: string;
}

/** Options of handlers that are retried. */
export interface RetryOptions extends HandlerOptions {
  /** Decides how arbitrary errors are treated. @default 'temporary' */
  errors?: ErrorsMode;
  /** Seconds from the first attempt after which the handler fails for good. @default no limit */
  timeout?: number;
  /** Limits the number of attempts. @default no limit */
  retries?: number;
  /** Seconds until the next attempt after an arbitrary error. @default the setting `execution.defaultBackoff` */
  backoff?: number;
}

/** A resource whose objects are the parents of others, and how they are read. */
export interface ParentOptions {
  readonly resource: string | SelectorParts | ResourceDeclaration;
  /** Reads the parent before each call. @default false: it is as new as the operator's watch of its metadata */
  readonly fresh?: boolean;
}

/** Options that choose the objects before they are sent. */
export interface WatchOptions {
  /**
   * Calls the handler only for objects that are controlled by an object of this resource, by their owner references; the context has it
   * as `parent`.
   */
  ownedBy?: string | SelectorParts | ResourceDeclaration | ParentOptions;
  /**
   * Selects the objects that the handler is for, by labels and fields. The API server evaluates what the handlers of a resource
   * have in common, and sends no other objects. An object that leaves the selector is treated as one that does not match other
   * filters any more.
   */
  selector?: ObjectSelectorOptions;
}

/** Options of `@OnCreate`. */
export interface CreateOptions extends RetryOptions, WatchOptions, ChangeFilters, FieldFilter {
  /**
   * Aborts the `signal` of the running handler when its object is marked for deletion or goes, or also when it is changed by anybody but the
   * operator. A handler that ends with the error of the signal is called again at once, if it is still for the object then. @default never
   */
  abortOn?: 'deletion' | 'change';
}

/** Options of `@OnUpdate`: if there is a `field`, it must have changed. */
export interface UpdateOptions extends CreateOptions {
  /** Requires a value of the field before the change. */
  old?: ValueFilter<ChangeFilterContext>;
  /** Requires a value of the field after the change. */
  new?: ValueFilter<ChangeFilterContext>;
}

/** Options of one sub-handler: as of other handlers, but for the object that is being handled. */
export interface SubhandlerOptions extends Omit<UpdateOptions, 'selector' | 'ownedBy' | 'onError'> {}
