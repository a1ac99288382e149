import type { HandlerKind, HandlerMetadata } from '../decorators/handler.metadata.js';
import {
  ActivityKind,
  type ActivityHandler,
  type AdmissionHandler,
  type BackgroundHandler,
  type ChangingHandler,
  type ConversionHandler,
  type Handler,
  type HandlerFunction,
  type IndexingHandler,
  type WatchingHandler,
} from '../registry/handler.js';
import { ChildRelation } from '../relations/child.relation.js';
import { ParentLookup } from '../relations/parent.lookup.js';
import { ReferenceRelation } from '../relations/reference.relation.js';
import type { Relation } from '../relations/relation.js';
import { referencesOf } from '../decorators/reference.decorators.js';
import type { AdmissionOptions, ChildOptions, TimerOptions } from '../decorators/handler-options.js';
import type { WatchOptions } from '../contexts/change-options.js';
import type { LogOptions } from '../decorators/log.decorator.js';
import { createLogQuery } from './log-query.factory.js';
import type { ConvertedVersion, ConvertOptions } from '../decorators/conversion.decorators.js';
import { parseSelector, type SelectorArgs } from '../resources/selectors.js';
import { isResourceDeclaration, KOPF_RESOURCE, type ResourceDeclaration } from '../resources/object-class.js';
import { CRONER, CronSchedule } from '../common/cron.schedule.js';
import { RE2 } from '../logs/log.pattern.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import { parseFieldPath, type FieldPath } from '../objects/field-path.js';
import { ObjectSelector } from '../resources/object-selector.js';

/** One decorated method of a class. */
export interface DecoratedMethod {
  readonly metadata: HandlerMetadata;
  readonly methodName: string;
  /** The method in messages: `Operator.create`. */
  readonly source: string;
  readonly className: string;
  readonly invoke: HandlerFunction;
  /** The class of the instance. */
  readonly type: unknown;
  /** Absent for a class that has an instance for each invocation. */
  readonly instance?: object;
  /** The prefix of the handler's id, unless the id is the name of an index. */
  readonly idPrefix?: string;
}

/** Loads the packages that reading the options of a handler takes. */
export async function loadLibraries({ kind, options }: HandlerMetadata): Promise<void> {
  if ((options as TimerOptions).cron !== undefined) await CRONER.load();
  if (kind === 'log') await RE2.load();
}

/**
 * Creates the handler that a decorator declares, and adds it to the registry.
 *
 * @throws TypeError if the selector or the field is malformed.
 */
export function registerHandler(registry: HandlerRegistry, method: DecoratedMethod): void {
  const { kind } = method.metadata;
  if (isActivity(kind)) registry.addActivity(toActivityHandler(method, kind));
  else if (kind === 'event') registry.addWatching(toWatchingHandler(method));
  else if (isBackground(kind)) registry.addSpawning(toBackgroundHandler(method, kind));
  else if (kind === 'index') registry.addIndexing(toIndexingHandler(method));
  else if (kind === 'validate' || kind === 'mutate') registry.addAdmission(toAdmissionHandler(method, kind));
  else if (kind === 'convert') registry.addConversion(toConversionHandler(method));
  else registry.addChanging(toChangingHandler(method));
}

function isBackground(kind: HandlerKind): kind is BackgroundHandler['kind'] {
  return kind === 'daemon' || kind === 'timer' || kind === 'child' || kind === 'reference' || kind === 'log';
}

function isActivity(kind: HandlerKind): kind is ActivityKind {
  return Object.values<string>(ActivityKind).includes(kind);
}

function toActivityHandler(method: DecoratedMethod, activity: ActivityKind): ActivityHandler {
  const id = idOf(method);
  return { ...toHandler(method, id, 'Activity'), activity };
}

function toWatchingHandler(method: DecoratedMethod): WatchingHandler {
  const { metadata } = method;
  const { field } = fieldOf(method);
  const parents = parentsOf(method);
  const { selector } = metadata.options;
  return {
    ...toHandler(method, idOf(method, field), 'Handler'),
    field,
    ...(parents && { parents }),
    selector: parseSelector(metadata.selector as SelectorArgs),
    objectSelector: selector === undefined ? undefined : ObjectSelector.parse(selector),
  };
}

function toBackgroundHandler(method: DecoratedMethod, kind: BackgroundHandler['kind']): BackgroundHandler {
  const { cron, timeZone } = method.metadata.options as TimerOptions;
  const handler = { ...toWatchingHandler(method), ...(cron && { schedule: CronSchedule.parse(cron, timeZone) }) };
  if (kind === 'daemon') return { ...handler, kind, title: `Daemon '${handler.id}'` };
  if (kind === 'timer') return { ...handler, kind, title: `Timer '${handler.id}'` };
  if (kind === 'log') return { ...handler, kind, log: createLogQuery(method.metadata.options as LogOptions) };
  return { ...handler, kind, relation: createRelation(method) };
}

/** @throws TypeError if neither class has references, so that the handler would never be called. */
function createRelation({ metadata, type }: DecoratedMethod): Relation {
  const { kind, related, selector, options } = metadata;
  if (kind === 'child') {
    const { depth = 1, controller = true } = options as ChildOptions;
    return new ChildRelation(parseSelector([related]), { depth, controller });
  }
  const references = [...referencesOf(selector?.[0]), ...referencesOf(type)];
  if (references.length > 0) return new ReferenceRelation(references);
  throw new TypeError(
    'there are no references to follow; add @References() to the class of the resource or of the handler',
  );
}

function parentsOf({ metadata: { options } }: DecoratedMethod): ParentLookup | undefined {
  const { ownedBy } = options as WatchOptions;
  if (ownedBy === undefined) return undefined;
  const { resource, fresh = false } =
    typeof ownedBy === 'object' && 'resource' in ownedBy ? ownedBy : { resource: ownedBy };
  return new ParentLookup(parseSelector([resource]), fresh);
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

/** @throws TypeError if the name of the CRD does not follow from the resource, or a class belongs to another resource. */
function toConversionHandler(method: DecoratedMethod): ConversionHandler {
  const { selector, options } = method.metadata;
  const { from, to, retired = false, id, param } = options as ConvertOptions;
  const { criteria, declaration, isSpecific } = parseSelector(selector as SelectorArgs);
  const plural = criteria.plural ?? criteria.anyName;
  const { group } = criteria;
  if (typeof plural !== 'string' || !group || !isSpecific) {
    throw new TypeError(
      "conversions are for one resource: give its class, or its plural and group: 'widgets.example.com'",
    );
  }
  const definition = `${plural}.${group}`;
  const versionOf = (option: string, version: ConvertedVersion): string => {
    if (typeof version === 'string') return version;
    const found = isResourceDeclaration(version) ? version[KOPF_RESOURCE] : undefined;
    if (found && `${found.plural}.${found.group}` === definition) return found.version;
    throw new TypeError(
      `option '${option}' must be a version of ${definition}, or a class with @CustomResource() of it`,
    );
  };
  const ends = { from: versionOf('from', from), to: versionOf('to', to) };
  if (ends.from === ends.to) throw new TypeError(`options 'from' and 'to' are both ${ends.from}; they must differ`);
  const declarations = [declaration, from, to].filter((each) => isResourceDeclaration(each)) as ResourceDeclaration[];
  const { source, className, invoke, instance } = method;
  const handlerId = id === undefined ? idOf(method) : id;
  return {
    id: handlerId,
    title: `Conversion '${handlerId}'`,
    param,
    source,
    className,
    invoke,
    instance,
    ...ends,
    definition,
    group,
    retired,
    declarations,
  };
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
  const {
    selector: _objectSelector,
    operator: _operator,
    ownedBy: _parent,
    onError: _onError,
    ...options
  } = metadata.options;
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
