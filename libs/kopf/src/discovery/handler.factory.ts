import type { HandlerKind, HandlerMetadata } from '../decorators/handler.metadata.js';
import {
  Activity,
  type ActivityHandler,
  type AdmissionHandler,
  type BackgroundHandler,
  type ChangingHandler,
  type Handler,
  type HandlerFunction,
  type IndexingHandler,
  type WatchingHandler,
} from '../registry/handler.js';
import type { AdmissionOptions, TimerOptions } from '../decorators/handler-options.js';
import { type SelectorArgs, parseSelector } from '../resources/selectors.js';
import { CronSchedule } from '../common/cron.schedule.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import { parseFieldPath, type FieldPath } from '../objects/field-path.js';
import { ObjectSelector } from '../resources/object-selector.js';

/** Describes one decorated method. */
export interface DecoratedMethod {
  readonly metadata: HandlerMetadata;
  readonly methodName: string;
  /** For messages: `Operator.create`. */
  readonly source: string;
  readonly className: string;
  readonly invoke: HandlerFunction;
  /** Absent for a class that has an instance for each invocation. */
  readonly instance?: object;
  /** Begins the id of the handler, unless it is the name of an index. */
  readonly idPrefix?: string;
}

/**
 * Makes a handler out of what a decorator says, and adds it to the registry.
 *
 * @throws TypeError if the selector or the field is malformed.
 */
export function registerHandler(registry: HandlerRegistry, method: DecoratedMethod): void {
  const { kind } = method.metadata;
  if (isActivity(kind)) registry.addActivity(toActivityHandler(method, kind));
  else if (kind === 'event') registry.addWatching(toWatchingHandler(method));
  else if (kind === 'daemon' || kind === 'timer') registry.addSpawning(toBackgroundHandler(method, kind));
  else if (kind === 'index') registry.addIndexing(toIndexingHandler(method));
  else if (kind === 'validate' || kind === 'mutate') registry.addAdmission(toAdmissionHandler(method, kind));
  else registry.addChanging(toChangingHandler(method));
}

function isActivity(kind: HandlerKind): kind is Activity {
  return Object.values<string>(Activity).includes(kind);
}

function toActivityHandler(method: DecoratedMethod, activity: Activity): ActivityHandler {
  const id = idOf(method);
  return { ...toHandler(method, id, 'Activity'), activity };
}

function toWatchingHandler(method: DecoratedMethod): WatchingHandler {
  const { metadata } = method;
  const { field } = fieldOf(method);
  const { selector } = metadata.options;
  return {
    ...toHandler(method, idOf(method, field), 'Handler'),
    field,
    selector: parseSelector(metadata.selector as SelectorArgs),
    selection: selector === undefined ? undefined : ObjectSelector.parse(selector),
  };
}

function toBackgroundHandler(method: DecoratedMethod, kind: 'daemon' | 'timer'): BackgroundHandler {
  const { cron, timeZone } = method.metadata.options as TimerOptions;
  const handler = { ...toWatchingHandler(method), ...(cron && { schedule: CronSchedule.parse(cron, timeZone) }) };
  return { ...handler, kind, title: `${kind === 'daemon' ? 'Daemon' : 'Timer'} '${handler.id}'` };
}

function toIndexingHandler(method: DecoratedMethod): IndexingHandler {
  // The id is the name of the index, whatever field or module there is.
  const id = idOf({ ...method, idPrefix: undefined });
  return { ...toWatchingHandler(method), id, title: `Index '${id}'` };
}

function toAdmissionHandler(method: DecoratedMethod, kind: 'validate' | 'mutate'): AdmissionHandler {
  const { operation, operations } = method.metadata.options as AdmissionOptions;
  const allowed = operation === undefined ? operations : [operation];
  return { ...toWatchingHandler(method), kind, operations: allowed && [...new Set(allowed)] };
}

function toChangingHandler(method: DecoratedMethod): ChangingHandler {
  const { kind, options } = method.metadata;
  const isUpdate = kind === 'update' || kind === 'field';
  return {
    ...toWatchingHandler(method),
    reason: kind === 'create' || kind === 'update' || kind === 'delete' ? kind : undefined,
    initial: kind === 'resume',
    deleted: kind === 'resume' && options.deleted === true,
    requiresFinalizer: kind === 'delete' && options.optional !== true,
    fieldNeedsChange: isUpdate,
  };
}

function toHandler(method: DecoratedMethod, id: string, title: string): Handler {
  const { metadata, source, className, invoke, instance } = method;
  const { selector: _selection, operator: _operator, ...options } = metadata.options;
  return { ...options, id, title: `${title} '${id}'`, source, className, invoke, instance };
}

function fieldOf({ metadata: { options } }: DecoratedMethod): { field?: FieldPath } {
  return { field: options.field === undefined ? undefined : parseFieldPath(options.field as string) };
}

function idOf({ metadata, methodName, idPrefix }: DecoratedMethod, field?: readonly string[]): string {
  const name = (metadata.options.id as string | undefined) ?? methodName;
  const id = idPrefix === undefined ? name : `${idPrefix}/${name}`;
  return field ? `${id}/${field.join('.')}` : id;
}
