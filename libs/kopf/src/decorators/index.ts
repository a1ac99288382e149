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
export type { ResourceHandlerArgs } from './handler.decorators.js';
export type { ReferenceDeclaration, ResourceName } from './reference.decorators.js';
export type { LogOptions, MultilineOptions } from './log.decorator.js';
export type {
  MetadataFilter,
  ValueCallback,
  ValueFilter,
  WhenFilter,
  ChangeFilters,
  FieldFilter,
  ObjectFilters,
} from '../contexts/filter-options.js';
export type {
  ActivityOptions,
  AdmissionOptions,
  BackgroundOptions,
  DaemonOptions,
  DeleteOptions,
  EventOptions,
  FieldOptions,
  IndexOptions,
  InitialDelay,
  MutateOptions,
  ResumeOptions,
  TimerOptions,
  ChildOptions,
  ReferenceOptions,
  RelatedOptions,
  ValidateOptions,
} from './handler-options.js';
export type {
  CreateOptions,
  ErrorsMode,
  HandlerOptions,
  RetryOptions,
  ParentOptions,
  UpdateOptions,
  WatchOptions,
} from '../contexts/change-options.js';
export { KOPF_RESOURCE, type ResourceDeclaration } from '../resources/object-class.js';
export { type ResourcePredicate } from '../resources/resource-criteria.js';
export { type SelectorArgs, type SelectorParts } from '../resources/selectors.js';
