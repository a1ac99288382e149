/**
 * What decorators of handlers take: options, filters, and resources, also of classes that declare theirs; and the types by which decorators
 * check methods. For decorators that wrap those of the package.
 *
 * @module nestjs-kopf/decorators
 */

export type { KubeVerb, NeedsOptions } from './needs.decorator.js';
export type {
  AcceptedResult,
  ConversionDecorator,
  ConvertedVersion,
  ConvertOptions,
  MethodMustReturn,
} from './conversion.decorators.js';
export type {
  AcceptedMethod,
  ContextsSatisfying,
  GivenContext,
  HandlerDecorator,
  MethodMustTake,
  ResourceDecorator,
  TypedContext,
} from './handler.decorators.js';
export type { ResourceHandlerArgs } from './handler.metadata.js';
export type { ReferenceDeclaration, ResourceName } from './reference.decorators.js';
export type { LogOptions, MultilineOptions } from './log.decorator.js';
export type {
  MetadataFilter,
  ValueCallback,
  ValueFilter,
  WhenFilter,
  ActivityOptions,
  AdmissionOptions,
  BackgroundOptions,
  ChangeFilters,
  CreateOptions,
  DaemonOptions,
  DeleteOptions,
  ErrorsMode,
  EventOptions,
  FieldFilter,
  FieldOptions,
  HandlerOptions,
  IndexOptions,
  InitialDelay,
  MutateOptions,
  ObjectFilters,
  ResumeOptions,
  RetryOptions,
  TimerOptions,
  ChildOptions,
  ParentOptions,
  ReferenceOptions,
  RelatedOptions,
  UpdateOptions,
  ValidateOptions,
  WatchOptions,
} from './handler-options.js';
export {
  KOPF_RESOURCE,
  type ResourceDeclaration,
  type ResourcePredicate,
  type SelectorArgs,
  type SelectorParts,
} from '../resources/selectors.js';
