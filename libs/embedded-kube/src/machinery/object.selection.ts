import { badRequest } from '../errors/status.errors.js';
import type { ServedResource } from '../resources/served.resource.js';
import { type FieldSelector, parseFieldSelector } from '../selectors/field.selector.js';
import { type LabelSelector, parseLabelSelector } from '../selectors/label.selector.js';
import { SelectorError } from '../selectors/selector.error.js';
import { ShardSelector } from './shard.selector.js';
import { storedAt, type StoredObject, type StorageEvent } from '../storage/stored.object.js';

const KEY_FIELDS = new Set(['metadata.name', 'metadata.namespace']);

/** The selection of objects for a list or a watch, by the selectors of its query. */
export class ObjectSelection {
  private readonly isByKey: boolean;

  private constructor(
    private readonly served: ServedResource,
    private readonly labels: LabelSelector,
    private readonly fields: FieldSelector,
    /** The shard that is selected, if it is one. */
    readonly shard: ShardSelector | undefined,
  ) {
    this.isByKey = fields.requirements.every(({ field }) => KEY_FIELDS.has(field));
  }

  /** @throws StatusError 400 if a selector cannot be read or names a field that the resource has not; 500 for one of a shard */
  static parse(
    served: ServedResource,
    labelSelector: string,
    fieldSelector: string,
    shardSelector = '',
  ): ObjectSelection {
    const shard = shardSelector ? ShardSelector.parse(shardSelector) : undefined;
    try {
      const labels = parseLabelSelector(labelSelector);
      const fields = parseFieldSelector(fieldSelector).forResource(served.resource, served.selectableFields);
      return new ObjectSelection(served, labels, fields, shard);
    } catch (error) {
      if (error instanceof SelectorError) throw badRequest(error.message);
      throw error;
    }
  }

  /** Whether everything is selected. */
  get isAll(): boolean {
    return this.labels.isEmpty && this.fields.isEmpty && !this.shard;
  }

  /** The labels of which an object must have one, if there is a requirement that few objects may meet. */
  get requiredLabel(): { readonly key: string; readonly values: readonly string[] } | undefined {
    return this.labels.requirements.find(({ operator }) => operator === '=' || operator === '==' || operator === 'in');
  }

  /** The only name that can match, if there is one. */
  get name(): string | undefined {
    return this.fields.exactValue('metadata.name');
  }

  /** The only namespace that can match, if there is one. */
  get namespace(): string | undefined {
    return this.fields.exactValue('metadata.namespace');
  }

  matches(stored: StoredObject): boolean {
    if (this.isAll) return true;
    if (this.shard && !this.shard.matches(stored)) return false;
    return this.labels.matches(stored.labels) && this.matchesFields(stored);
  }

  private matchesFields(stored: StoredObject): boolean {
    if (this.fields.isEmpty) return true;
    const { namespace, name } = stored;
    // Without parsing: `metadata.name` and `metadata.namespace` are all that most resources can be selected by.
    if (this.isByKey) return this.fields.matches({ metadata: { namespace, name } });
    return this.fields.matches(this.served.fromStorage(stored.read()));
  }
}

/** A change as one watch sees it. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
}

/**
 * Translates a change for a watch: an object that enters the selection is added, one that leaves it is deleted.
 *
 * @param namespace `undefined` for all namespaces
 * @returns `undefined` if the watch is not concerned
 */
export function selectEvent(
  event: StorageEvent,
  namespace: string | undefined,
  selection: ObjectSelection,
): WatchEvent | undefined {
  const { type, current, previous } = event;
  if (namespace !== undefined && current.namespace !== namespace) return undefined;
  if (selection.isAll) return { type, object: current };
  const isSelected = type !== 'DELETED' && selection.matches(current);
  const wasSelected = previous !== undefined && selection.matches(previous);
  if (isSelected) return { type: wasSelected ? 'MODIFIED' : 'ADDED', object: current };
  if (!wasSelected) return undefined;
  return { type: 'DELETED', object: type === 'DELETED' ? current : storedAt(previous.object, event.revision) };
}
